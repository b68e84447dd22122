/** Which of a repository's installed workflow files are not as they were installed. */
export interface Tampering {
  readonly files: readonly string[];
  readonly branches: readonly string[];
  /** Since when the first of them is known. */
  readonly since: Date;
  /** Where its people are told of it; null where no issue could be written. */
  readonly issueUrl: string | null;
}
