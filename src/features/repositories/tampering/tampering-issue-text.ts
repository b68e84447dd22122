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
  gfm`${path} is installed and kept by Shipgate, and is not as Shipgate published it on:`,
  lines(branches.map(({ branch, since }) => gfm`- ${branch}, found ${since.toISOString()}`)),
  gfm`Until it is restored no release can be deployed from there.`,
  gfm`${describeRemedy(path)} Any version of the file that Shipgate ever published will do. This issue is closed by itself then.`,
];

/** A workflow update does not replace an unknown CI file, because it may be the team's own. */
const describeRemedy = (path: string): Markdown =>
  path === ENFORCE_WORKFLOW
    ? gfm`Take the change back, or let Shipgate update its workflow files.`
    : gfm`Take the change back.`;

const restored = (path: string): readonly Markdown[] => [
  gfm`${path} is as Shipgate published it again, on every branch that it was changed on.`,
];
