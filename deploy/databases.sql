-- One database for each service that has tables: none can read another's.
CREATE DATABASE auth;
CREATE DATABASE deliveries;
CREATE DATABASE drivers;
CREATE DATABASE settings;
CREATE DATABASE upload;
