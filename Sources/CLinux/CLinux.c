#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int linux_clone_file(int to, int from) { return ioctl(to, FICLONE, from); }

ssize_t linux_copy_file_range(int from, int to, int64_t offset, size_t bytes) {
    off64_t in = offset, out = offset;
    return copy_file_range(from, &in, to, &out, bytes, 0);
}

int linux_allocate(int descriptor, int64_t bytes) { return fallocate(descriptor, 0, 0, bytes); }

int linux_begin_writing(int descriptor, int64_t offset, int64_t bytes) {
    return sync_file_range(descriptor, offset, bytes, SYNC_FILE_RANGE_WRITE);
}

int linux_end_writing(int descriptor, int64_t offset, int64_t bytes) {
    return sync_file_range(
        descriptor, offset, bytes,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}

int linux_is_mount_root(int descriptor) {
    struct statx found;
    if (statx(descriptor, "", AT_EMPTY_PATH, 0, &found) != 0) return -1;
    if (!(found.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT)) return -1;
    return (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

int linux_synchronize_file_system(int descriptor) { return syncfs(descriptor); }

int64_t linux_file_system_type(int descriptor) {
    struct statfs facts;
    return fstatfs(descriptor, &facts) == 0 ? (int64_t)facts.f_type : -1;
}

int linux_rename_without_replacing(int directory, const char *from, const char *to) {
    return renameat2(directory, from, directory, to, RENAME_NOREPLACE);
}

int linux_open_beneath(int directory, const char *path, uint64_t flags) {
    struct open_how how = {.flags = flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

ssize_t linux_get_attribute(int descriptor, const char *name, void *value, size_t bytes) {
    return fgetxattr(descriptor, name, value, bytes);
}

int linux_set_attribute(int descriptor, const char *name, const void *value, size_t bytes) {
    return fsetxattr(descriptor, name, value, bytes, 0);
}

int linux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int linux_spawn_closing_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int linux_spawn_in_directory(posix_spawn_file_actions_t *actions, const char *path) {
    return posix_spawn_file_actions_addchdir_np(actions, path);
}

int linux_tune_allocator(int arena_maximum, int trim_bytes, int map_bytes) {
#ifdef __GLIBC__
    return mallopt(M_ARENA_MAX, arena_maximum) && mallopt(M_TRIM_THRESHOLD, trim_bytes) &&
           mallopt(M_MMAP_THRESHOLD, map_bytes);
#else
    return 0;
#endif
}
