-- in the database that the image makes, and in those made later
CREATE EXTENSION IF NOT EXISTS sparseeinsum;
\connect template1
CREATE EXTENSION IF NOT EXISTS sparseeinsum;
