//! What a request body looks like: the vocabulary of [`super::shapes`].

/// A request body in all of its versions.
#[derive(Debug)]
pub(in crate::preflight) struct Shape {
    pub(in crate::preflight) min: i16,
    pub(in crate::preflight) max: i16,
    pub(in crate::preflight) flexible_from: Option<i16>,
    pub(in crate::preflight) fields: &'static [Field],
}

/// A field of a body or structure.
#[derive(Debug)]
pub(in crate::preflight) struct Field {
    pub(in crate::preflight) kind: Kind,
    pub(in crate::preflight) versions: Versions,
    pub(in crate::preflight) null: Versions,
    pub(in crate::preflight) tag: Option<u32>,
}

/// What stands in a field.
#[derive(Debug)]
pub(in crate::preflight) enum Kind {
    /// So many bytes.
    Fixed(usize),
    Text,
    Bytes,
    Array {
        element: &'static Kind,
        /// What the protocol crate takes for one element, beside what hangs on it.
        element_bytes: usize,
    },
    Struct(&'static [Field]),
}

/// First and last version; nothing when the last is below the first.
#[derive(Debug, Clone, Copy)]
pub(in crate::preflight) struct Versions(pub(in crate::preflight) i16, pub(in crate::preflight) i16);

impl Versions {
    pub(in crate::preflight) const NONE: Versions = Versions(0, -1);

    pub(in crate::preflight) const fn contains(self, version: i16) -> bool {
        self.0 <= version && version <= self.1
    }
}

impl Field {
    fn min_bytes(&self, version: i16, flexible: bool) -> usize {
        match self.kind {
            // One byte says whether the structure is there.
            Kind::Struct(_) if self.null.contains(version) => 1,
            _ => self.kind.min_bytes(version, flexible),
        }
    }
}

impl Kind {
    /// The fewest bytes that this can take on the wire.
    pub(in crate::preflight) fn min_bytes(&self, version: i16, flexible: bool) -> usize {
        match self {
            Kind::Fixed(size) => *size,
            _ if flexible && !matches!(self, Kind::Struct(_)) => 1,
            Kind::Text => 2,
            Kind::Bytes | Kind::Array { .. } => 4,
            Kind::Struct(fields) => {
                let in_row =
                    fields.iter().filter(|field| field.tag.is_none() && field.versions.contains(version));
                let row: usize = in_row.map(|field| field.min_bytes(version, flexible)).sum();
                row + usize::from(flexible)
            }
        }
    }
}

/// Declares the shapes and `shape_of`, which finds one by API key.
macro_rules! shapes {
    ($($key:literal $name:ident: $min:literal ..= $max:literal, flexible $flexible:tt { $($fields:tt)* })+) => {
        /// The shape of the requests with this API key.
        pub(in crate::preflight) fn shape_of(api_key: i16) -> Option<&'static Shape> {
            match api_key {
                $($key => {
                    static SHAPE: Shape = Shape {
                        min: $min,
                        max: $max,
                        flexible_from: shapes!(@flexible $flexible),
                        fields: shapes!(@fields $($fields)*),
                    };
                    Some(&SHAPE)
                })+
                _ => None,
            }
        }
    };
    (@flexible never) => { None };
    (@flexible $first:literal) => { Some($first) };
    (@fields $(
        $name:ident: $kind:ident $(of $element:ident $(:: $structure:ident)?)? [$($versions:tt)+]
        $(null [$($null:tt)+])? $(tag $tag:literal)? $({ $($inner:tt)* })?;
    )*) => {
        &[$( $crate::preflight::shape::Field {
            kind: shapes!(@kind $kind $($element $(:: $structure)?)?; $($($inner)*)?),
            versions: shapes!(@versions $($versions)+),
            null: shapes!(@versions $($($null)+)?),
            tag: shapes!(@tag $($tag)?),
        }, )*]
    };
    (@versions) => { $crate::preflight::shape::Versions::NONE };
    (@versions $first:literal ..) => { $crate::preflight::shape::Versions($first, i16::MAX) };
    (@versions $first:literal ..= $last:literal) => { $crate::preflight::shape::Versions($first, $last) };
    (@tag) => { None };
    (@tag $tag:literal) => { Some($tag) };
    (@kind boolean;) => { $crate::preflight::shape::Kind::Fixed(1) };
    (@kind int8;) => { $crate::preflight::shape::Kind::Fixed(1) };
    (@kind int16;) => { $crate::preflight::shape::Kind::Fixed(2) };
    (@kind int32;) => { $crate::preflight::shape::Kind::Fixed(4) };
    (@kind int64;) => { $crate::preflight::shape::Kind::Fixed(8) };
    (@kind float64;) => { $crate::preflight::shape::Kind::Fixed(8) };
    (@kind uuid;) => { $crate::preflight::shape::Kind::Fixed(16) };
    (@kind string;) => { $crate::preflight::shape::Kind::Text };
    (@kind bytes;) => { $crate::preflight::shape::Kind::Bytes };
    (@kind structure; $($inner:tt)+) => { $crate::preflight::shape::Kind::Struct(shapes!(@fields $($inner)+)) };
    (@kind array $module:ident :: $structure:ident; $($inner:tt)+) => {
        $crate::preflight::shape::Kind::Array {
            element: &$crate::preflight::shape::Kind::Struct(shapes!(@fields $($inner)+)),
            element_bytes: size_of::<kafka_protocol::messages::$module::$structure>(),
        }
    };
    (@kind array $element:ident;) => {
        $crate::preflight::shape::Kind::Array {
            element: &shapes!(@kind $element;),
            element_bytes: shapes!(@size $element),
        }
    };
    (@size string) => { size_of::<kafka_protocol::protocol::StrBytes>() };
    (@size int8) => { 1 };
    (@size int32) => { 4 };
    (@size int64) => { 8 };
    (@size uuid) => { 16 };
}
