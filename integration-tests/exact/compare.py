"""Compares two decoded answers field by field."""
import json

MSG = ("ErrorMessage", "TopicConfigErrorMessage", "BatchIndexErrorMessage", "Documentation")  # compared as null or not

UNORDERED = ("Entries", "Members", "Partitions")  # Kafka's own order of these changes from run to run


def deep(a, b, path, out, msgs):
    if isinstance(a, dict) and isinstance(b, dict):
        for k in list(a) + [k for k in b if k not in a]:
            if k not in a or k not in b:
                out.append("%s.%s: %s" % (path, k, "only in B = %r" % (b[k],) if k not in a else "only in A = %r" % (a[k],)))
            elif k in MSG and not msgs or k == "Value" and path.endswith((".log.dir", ".log.dirs")):
                if (a[k] is None) != (b[k] is None):
                    out.append("%s.%s: null %s / %s" % (path, k, a[k] is None, b[k] is None))
            else:
                deep(a[k], b[k], path + "." + k, out, msgs)
    elif isinstance(a, list) and isinstance(b, list):
        ks = ("Name", "TopicName", "Topic", "User", "ApiKey", "Index", "PartitionIndex", "GroupId", "ConfigName", "TopicId")
        if a and b and all(isinstance(x, dict) for x in a + b):
            k = next((k for k in ks if all(k in x for x in a + b)), None)
            if k and len({str(x[k]) for x in a}) == len(a) and len({str(x[k]) for x in b}) == len(b):
                A, B = {str(x[k]): x for x in a}, {str(x[k]): x for x in b}
                return deep(A, B, path, out, msgs)
        if path.rsplit(".", 1)[-1] in UNORDERED:
            a, b = (sorted(x, key=lambda e: json.dumps(e, sort_keys=True)) for x in (a, b))
        if len(a) != len(b):
            out.append("%s: length %d / %d" % (path, len(a), len(b)))
        for i, (x, y) in enumerate(zip(a, b)):
            deep(x, y, "%s[%d]" % (path, i), out, msgs)
    elif a != b:
        out.append("%s: %r / %r" % (path, a, b))
