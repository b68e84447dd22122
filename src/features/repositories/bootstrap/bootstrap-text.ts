import type { BootstrapPlan } from '../../../domain/repository/bootstrap-plan.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW, POLICY_FILE } from '../../../domain/repository/managed-files.js';
import { gfm, lines, type Markdown } from '../../../github/markdown.js';
import { GUIDE_FILE } from './starter-guide.js';

export const BOOTSTRAP_TITLE = 'Set up Shipgate';

export const BOOTSTRAP_MESSAGE = `Set up Shipgate

Adds the rules of releases, the workflows that keep to them, and a guide.`;

const PURPOSES: Readonly<Record<string, Markdown>> = {
  [POLICY_FILE]: gfm`the rules of releases, with every default in comments; yours from now on`,
  [GUIDE_FILE]: gfm`how releases go from here, for those who work in this repository`,
  [CI_WORKFLOW]: gfm`runs the tests and uploads their reports as evidence`,
  [ENFORCE_WORKFLOW]: gfm`checks the rules, and is the deploy gate as a job that a deploy workflow needs`,
};
const REASONS_TO_KEEP: Readonly<Record<string, Markdown>> = {
  [CI_WORKFLOW]: gfm`is your own: CI counts as custom here, and you upload evidence yourselves`,
};

/** What the pull request says of itself: what it adds, what it leaves, and what its merge does. */
export function bootstrapBody({ write, kept, replaced }: BootstrapPlan, defaultBranch: string): Markdown {
  const noteOn = (path: string) => (replaced.includes(path) ? gfm` (takes the place of the file there)` : null);
  return lines([
    gfm`This pull request sets this repository up for Shipgate. It brings:`,
    gfm``,
    ...write.map(({ path }) => gfm`- ${path}: ${PURPOSES[path] ?? gfm`belongs to it`}${noteOn(path)}`),
    ...kept.map((path) => gfm`- ${path} stays as it is: it ${REASONS_TO_KEEP[path] ?? gfm`is your own`}`),
    gfm``,
    gfm`**When it is merged**`,
    gfm``,
    gfm`- ${POLICY_FILE} governs releases: each milestone whose title is a version is one.`,
    gfm`- Shipgate protects ${defaultBranch} and the release branches with rulesets of its own: changes come by approved pull request with the check ${'Shipgate'}, and neither force pushes nor deletions are taken. Other rules stay as they are.`,
    gfm`- Deployments that ask the gate need evidence and an approval; nothing that is deployed now changes until a workflow asks.`,
    gfm``,
    gfm`Close it without merging and nothing of this happens; it can be asked for again.`,
  ]);
}
