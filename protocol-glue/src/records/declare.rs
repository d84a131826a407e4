//! The form in which a message is declared, once, for writing and reading alike.
//!
//! ```text
//! messages! {
//!     /// What it says.
//!     GroupMetadataValue (versions 0..=4, flexible 4) {
//!         protocol_type: String [0..],
//!         protocol: Option<String> [0..],                      // Option: can be null
//!         current_state_timestamp: i64 [2..] (ignorable) = -1   // default, and may be left out of other versions
//!         topic_id: Uuid [4..] tag 0,                          // a tagged field
//!         members: Vec<Member> [0..],
//!     }
//!     /// A part: it has the version of the message that it is in.
//!     Member { member_id: String [0..], }
//! }
//! ```
//!
//! The range after the type says in which versions the field exists. Outside of it, reading yields the default (the
//! declared one, or that of the type) and writing insists on the default unless the field is `ignorable`. `Option`
//! means nullable in every version that has the field. A tagged field is written only if it differs from its
//! default. Unknown tagged fields are skipped.

macro_rules! messages {
    ($(
        $(#[$doc:meta])*
        $name:ident $((versions $first:literal ..= $last:literal $(, flexible $flexible:literal)?))? {$(
            $(#[$field_doc:meta])*
            $field:ident: $ty:ty [$($range:tt)+] $(($ignorable:ident))? $(tag $tag:literal)? $(= $default:expr)?
        ),* $(,)?}
    )+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {$(
            $(#[$field_doc])*
            pub $field: $ty,
        )*}

        impl Default for $name {
            fn default() -> Self {
                Self {$( $field: messages!(@default $($default)?), )*}
            }
        }

        impl $crate::records::Field for $name {
            #[allow(unused_variables, unused_mut, reason = "a message may have no fields, or none that is tagged")]
            fn put(&self, wire: $crate::records::Wire, out: &mut bytes::BytesMut) {
                let default = Self::default();
                let mut tagged: Vec<(u32, bytes::BytesMut)> = Vec::new();
                $(
                    if !($($range)+).contains(&wire.version) {
                        messages!(@absent $($ignorable)?; {
                            assert!(
                                self.$field == default.$field,
                                "{} cannot be written in version {} of {}",
                                stringify!($field), wire.version, stringify!($name),
                            );
                        });
                    } else {
                        messages!(@place [$($tag)?] {
                            $crate::records::Field::put(&self.$field, wire, out);
                        } else {
                            if self.$field != default.$field {
                                let mut content = bytes::BytesMut::new();
                                $crate::records::Field::put(&self.$field, wire, &mut content);
                                tagged.push((TAG, content));
                            }
                        });
                    }
                )*
                if wire.flexible {
                    $crate::wire::put_tagged(tagged, out);
                }
            }

            #[allow(unused_variables, unused_mut, reason = "a message may have no fields, or none that is tagged")]
            fn take(
                wire: $crate::records::Wire,
                input: &mut bytes::Bytes,
            ) -> Result<Self, $crate::DecodeError> {
                let mut message = Self::default();
                $(
                    messages!(@place [$($tag)?] {
                        if ($($range)+).contains(&wire.version) {
                            message.$field = $crate::records::Field::take(wire, input)?;
                        }
                    } else {});
                )*
                if wire.flexible {
                    $crate::wire::take_tagged(input, |tag, mut content| {
                        $(
                            messages!(@place [$($tag)?] {} else {
                                if tag == TAG && ($($range)+).contains(&wire.version) {
                                    message.$field = $crate::records::Field::take(wire, &mut content)?;
                                }
                            });
                        )*
                        Ok(())
                    })?;
                }
                Ok(message)
            }
        }

        messages!(@message $name $($first, $last $(, $flexible)?)?);
    )+};

    (@message $name:ident) => {};
    (@message $name:ident $first:literal, $last:literal $(, $flexible:literal)?) => {
        impl $crate::records::Message for $name {
            const NAME: &'static str = stringify!($name);
            const VERSIONS: std::ops::RangeInclusive<i16> = $first..=$last;
            const FLEXIBLE_FROM: Option<i16> = messages!(@first_flexible $($flexible)?);
        }
    };
    (@first_flexible) => { None };
    (@first_flexible $flexible:literal) => { Some($flexible) };
    (@default) => { Default::default() };
    (@default $default:expr) => { $default };
    (@absent; $check:block) => { $check };
    (@absent ignorable; $check:block) => {};
    // The first block is for fields in the row, the second, which may say TAG, for tagged ones.
    (@place [] { $($plain:tt)* } else { $($tagged:tt)* }) => {{ $($plain)* }};
    (@place [$tag:literal] { $($plain:tt)* } else { $($tagged:tt)* }) => {{
        #[allow(dead_code, reason = "reading the row does not look at tags")]
        const TAG: u32 = $tag;
        $($tagged)*
    }};
}
