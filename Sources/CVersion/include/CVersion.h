// What the programs were built of: Package.swift defines it for the compiler of this one file.
#ifndef CVERSION_H
#define CVERSION_H

// The commit, with a plus sign where files had been changed since; an empty text where the package was no Git repository.
const char *longshore_commit(void);

#endif
