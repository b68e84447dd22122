/** The problems of files that users can fix, by the codes of the system. */
const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission',
  EBUSY: 'another program uses it',
  EEXIST: 'it exists',
  EISDIR: 'it is a folder',
  ELOOP: 'its links form a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is not a folder',
  EPERM: 'this user has no permission',
  EROFS: 'the disk is read-only',
};

/** Returns why a file cannot be used, in words for users. */
export function fileProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return PROBLEMS[code] ?? 'the system does not allow it';
}
