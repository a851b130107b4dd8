"""What every test on a data set begins with."""

import os
import sys

import psycopg2


def directory(data_set):
    """where the files of a data set are, or where they would be"""
    return os.path.join(os.environ.get("SPARSEEINSUM_DATASETS", "/nonexistent"), data_set)


def available(data_set):
    """is it there? If not, says so"""
    if os.path.isdir(directory(data_set)):
        return True
    print("skipped: SPARSEEINSUM_DATASETS is not the directory of the data sets")
    return False


def open_cursor():
    """of a connection that commits every statement"""
    connection = psycopg2.connect("")
    connection.autocommit = True
    return connection.cursor()


def cursor_for(data_set):
    """a cursor; ends the test where the data set is not there"""
    if not available(data_set):
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(0)
    return open_cursor()
