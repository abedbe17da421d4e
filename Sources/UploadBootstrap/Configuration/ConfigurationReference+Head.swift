extension ConfigurationReference {
    /// What holds for all keys.
    static let head = """
        # Configuration

        Every key of the configuration: its values, its default, its environment variable, the programs that use it, and when a change counts.

        ## Where a value comes from

        A value on the command line counts first, then one in the environment, then one in the file, then the default. The file is the one that `--config FILE` or `UPLOAD_CONFIG` names, else
        `upload.yaml` in the working directory, else `/etc/longshore/upload.yaml`. `--check-config` of every program lists the keys, their values, and where each comes from, with secrets masked
        (<doc:Operating>). An unknown key is an error that names the nearest known key.

        A variable is `UPLOAD_` and the key's path in capitals, with `_` for each dot and each `-`, and between a small letter and a capital one. A variable of a destination, a delegate or a token sets a key of one that the file has; one that ends in `_DRIVER`,
        `_KIND` or `_ROLE` adds a new one, whose name it gives in capitals. Keys with a second name of yours (`headers.*`) have no variable. A list in a variable has commas between its items. An empty variable counts as none.

        | value | is written |
        |---|---|
        | duration | with its units: `500ms`, `25s`, `5m`, `2h`, `1d`, `1h30m` |
        | size | in bytes, or with a unit: `4096`, `512KiB`, `100MiB`, `1.5GiB`, `2GB` |
        | number | as a whole number |
        | name | with 1 to 64 of the characters a-z, 0-9, `_` and `-` |
        | path | as it is; a relative path in the file begins at the file's folder, any other one at the working directory |
        | secret | as `env:NAME` (a variable), `file:PATH` (the content of a file without the line end), `credential:NAME` (the file that systemd's `LoadCredential=` gives the program, else `/etc/longshore/credentials/NAME`), or as it is |
        | address | as `HOST:PORT`, or `off` |
        | list | as a YAML list, or as one item alone |

        Where the column *default* is empty, the key has none. STATE is `$XDG_STATE_HOME/longshore`, or `~/.local/state/longshore` where that variable is not set.

        ## When a change counts

        `enqueue-upload` and `uploadctl` read the configuration each time that they run. A worker and a notifier read it when they start, and the file again on SIGHUP (`kill -HUP PID`). The environment, with the secrets in it, the credentials that systemd has given, and the flags
        stay as they were when the program started.

        **On SIGHUP** a running program takes over the keys whose column says so: destinations with their limits, `sourceURLs`, delegates, `notifier.allowNetworks`, and the tokens of the API. It takes all of them or, where the file has a mistake or a secret is missing, none, and logs
        the reason; only a destination that the notifier cannot use is left out, with a warning. Of every other key whose value has changed, such as `worker.concurrency`, `sourceRoots` or `log.level`, it keeps the old value, and names the keys in its log: `changed keys count from the next start on`.

        - A slice under way ends with the destination's settings with which it began. Only `bytesPerSecond` and `requestsPerSecond` count at once for it.
        - SIGHUP reads again the `file:` secrets of destinations, delegates and tokens. Without a signal the driver `http` reads its `file:` secrets for each step, the driver `s3` its access keys when they change, and every driver its certificates for each connection.
        - A notifier that stands by keeps the new configuration until it takes over. Then all keys count but `notifier.ledger`, `notifier.ledgerPassword`, `shards`, `log.level` and `log.format`.
        """
}
