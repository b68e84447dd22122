import { ENFORCE_WORKFLOW } from '../../../domain/repository/managed-files.js';
import type { IssueContent } from '../../../github/api/app-issues.js';
import { gfm, hiddenMarker, joined, lines, type Markdown } from '../../../github/markdown.js';

/** A branch on which a managed file was changed. */
export interface TamperedBranch {
  readonly branch: string;
  readonly since: Date;
}

/** Returns the hidden first line of an issue about the file, by which the issue is found again. */
export const tamperingMarker = (path: string): Markdown => hiddenMarker(`shipgate:tampering:${path}`);

/** Builds the issue about a file: open while it is changed on a branch, else closed. */
export function tamperingIssue(path: string, branches: readonly TamperedBranch[]): IssueContent {
  const title = `Shipgate: ${path} was changed`;
  const paragraphs = branches.length > 0 ? changed(path, branches) : restored(path);
  return {
    title,
    body: joined([tamperingMarker(path), ...paragraphs], gfm`\n\n`),
    state: branches.length > 0 ? 'open' : 'closed',
  };
}

const changed = (path: string, branches: readonly TamperedBranch[]): readonly Markdown[] => [
  gfm`Shipgate manages ${path}. On these branches the file is not a version that Shipgate published:`,
  lines(branches.map(({ branch, since }) => gfm`- ${branch}, found ${since.toISOString()}`)),
  gfm`Until the file is restored, no release can be deployed from these branches.`,
  gfm`${describeRemedy(path)} Any version of the file that Shipgate published is accepted. Then this issue is closed automatically.`,
];

/** A workflow update does not replace an unknown CI file, because it may be the team's own. */
const describeRemedy = (path: string): Markdown =>
  path === ENFORCE_WORKFLOW
    ? gfm`Revert the change, or let Shipgate update its workflow files.`
    : gfm`Revert the change.`;

const restored = (path: string): readonly Markdown[] => [
  gfm`${path} is restored to a version that Shipgate published, on every branch on which it was changed.`,
];
