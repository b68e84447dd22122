import { CI_WORKFLOW, ENFORCE_WORKFLOW, POLICY_FILE } from '../../../domain/repository/managed-files.js';
import { gfm, lines, type Markdown } from '../../../github/markdown.js';

export const UPDATE_TITLE = 'Update the workflows of Shipgate';

export const updateMessage = (revision: string): string => `${UPDATE_TITLE}\n\nRevision: ${revision}`;

const PURPOSES: Readonly<Record<string, Markdown>> = {
  [CI_WORKFLOW]: gfm`runs the tests and uploads their reports as evidence`,
  [ENFORCE_WORKFLOW]: gfm`checks the rules, and is the deploy gate as a job that a deploy workflow needs`,
};

interface UpdateContent {
  readonly files: readonly string[];
  readonly revision: string;
  readonly installedRevision: string | null;
  readonly customCi: boolean;
}

/** What the pull request says of itself: what it replaces, and what it leaves alone. */
export const updateBody = ({ files, revision, installedRevision, customCi }: UpdateContent): Markdown =>
  lines([
    gfm`This pull request brings the workflow files that Shipgate manages to their newest revision:`,
    gfm``,
    ...files.map((path) => gfm`- ${path}: ${PURPOSES[path] ?? gfm`belongs to it`}`),
    ...(customCi ? [gfm`- ${CI_WORKFLOW} is left alone: CI is your own here`] : []),
    gfm``,
    gfm`Nothing else changes: neither ${POLICY_FILE} nor the rulesets nor how far the repository is set up.`,
    gfm`Commit nothing on top: what is merged must be exactly what Shipgate published, or it counts as tampering.`,
    gfm``,
    gfm`Revision ${revision}, after ${installedRevision ?? gfm`files of no known revision`}.`,
  ]);
