// Functions of Linux and glibc that Swift's Glibc module lacks. Each function makes the call of its manual page and
// answers like that call: -1 and errno on failure.
#ifndef CLINUX_H
#define CLINUX_H

#include <spawn.h>
#include <stdint.h>
#include <sys/types.h>

// ioctl_ficlone(2)
int linux_clone_file(int to, int from);
// copy_file_range(2), with the same offset in both files
ssize_t linux_copy_file_range(int from, int to, int64_t offset, size_t bytes);
// fallocate(2) with mode 0
int linux_allocate(int descriptor, int64_t bytes);
// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: begins to write, and does not wait
int linux_begin_writing(int descriptor, int64_t offset, int64_t bytes);
// sync_file_range(2) with all flags: writes what is left, and waits
int linux_end_writing(int descriptor, int64_t offset, int64_t bytes);
// statx(2): 1 when the descriptor is the root of a mount, 0 when it is not, -1 when the kernel does not say
int linux_is_mount_root(int descriptor);
// syncfs(2)
int linux_synchronize_file_system(int descriptor);
// fstatfs(2): f_type, or -1
int64_t linux_file_system_type(int descriptor);
// renameat2(2) with RENAME_NOREPLACE, within one directory
int linux_rename_without_replacing(int directory, const char *from, const char *to);
// openat2(2) with RESOLVE_BENEATH: EXDEV when the path would leave the directory
int linux_open_beneath(int directory, const char *path, uint64_t flags);
// fgetxattr(2)
ssize_t linux_get_attribute(int descriptor, const char *name, void *value, size_t bytes);
// fsetxattr(2)
int linux_set_attribute(int descriptor, const char *name, const void *value, size_t bytes);
// pipe2(2) with O_CLOEXEC
int linux_pipe(int ends[2]);
// posix_spawn_file_actions_addclosefrom_np(3): an errno, or 0
int linux_spawn_closing_from(posix_spawn_file_actions_t *actions, int first);
// posix_spawn_file_actions_addchdir_np(3): an errno, or 0
int linux_spawn_in_directory(posix_spawn_file_actions_t *actions, const char *path);
// mallopt(3) with M_ARENA_MAX, M_TRIM_THRESHOLD and M_MMAP_THRESHOLD: 1, or 0 where glibc refuses it or the C library is another
int linux_tune_allocator(int arena_maximum, int trim_bytes, int map_bytes);

#endif
