import PostgreSQL

extension PostgreSQLSchema {
    /// The index by trigrams begins with the block of a job (`TextBlocks`). New texts wait in the index's list of pending ones, which each
    /// question reads once for each block, so it is kept short: 1 MiB instead of 4.
    static let textBlocks: [Statement] = [
        "CREATE EXTENSION IF NOT EXISTS btree_gin SCHEMA public",
        "DROP INDEX texts_by_trigram",
        "SET LOCAL maintenance_work_mem = '256MB'",
        """
        CREATE INDEX texts_by_trigram ON texts USING gin (\(TextBlocks.block), text public.gin_trgm_ops)
        WITH (gin_pending_list_limit = 1024)
        """,
    ]
}
