/** The issue that tells a repository's people of a workflow file that somebody changed. */
import { ENFORCE_WORKFLOW } from '../../../domain/repository/managed-files.js';
import type { IssueContent } from '../../../github/api/app-issues.js';
import { gfm, hiddenMark, joined, lines, type Markdown } from '../../../github/markdown.js';

/** A branch on which the file is not as it was installed. */
export interface TamperedBranch {
  readonly branch: string;
  readonly since: Date;
}

/** How the text of an issue about the file begins: by this it is found again. It is shown to nobody. */
export const markerOf = (path: string): Markdown => hiddenMark(`shipgate:tampering:${path}`);

/** What the issue says while the file is changed on these branches, and once it is on none any more. */
export function tamperingIssue(path: string, branches: readonly TamperedBranch[]): IssueContent {
  const title = `Shipgate: ${path} was changed`;
  const paragraphs = branches.length > 0 ? changed(path, branches) : restored(path);
  return {
    title,
    body: joined([markerOf(path), ...paragraphs], gfm`\n\n`),
    state: branches.length > 0 ? 'open' : 'closed',
  };
}

const changed = (path: string, branches: readonly TamperedBranch[]): readonly Markdown[] => [
  gfm`${path} is installed and kept by Shipgate, and is not as Shipgate published it on:`,
  lines(branches.map(({ branch, since }) => gfm`- ${branch}, found ${since.toISOString()}`)),
  gfm`Until it is restored no release can be deployed from there.`,
  gfm`${remedyOf(path)} Any version of the file that Shipgate ever published will do. This issue is closed by itself then.`,
];

/** An update leaves a CI file alone that the service never published: it takes it for the team's own. */
const remedyOf = (path: string): Markdown =>
  path === ENFORCE_WORKFLOW
    ? gfm`Take the change back, or let Shipgate update its workflow files.`
    : gfm`Take the change back.`;

const restored = (path: string): readonly Markdown[] => [
  gfm`${path} is as Shipgate published it again, on every branch that it was changed on.`,
];
