"""The extension sparseeinsum for the PostgreSQL of the package pgserver, in whose directories its files are."""
