/// The objects of the notifier's HTTP API: the notifier writes them, `uploadctl` reads them.
///
/// Each type is named as its schema in `openapi.yaml` (`API.Job` is the schema `Job`), and each property as its JSON
/// key. An optional property that is nil is left out of the JSON, unless it is ``Nullable``. Times are RFC 3339 in UTC,
/// sizes are bytes.
///
/// A word of a fixed list (a status, a circuit's state) is a `String` here: a newer notifier may send a word that this
/// version does not know. Everything that is read may have been written by a stranger, so a reader makes it safe before
/// it prints it.
public enum API {}
