import type { BootstrapPlan } from '../../domain/repository/bootstrap-plan.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW, POLICY_FILE } from '../../domain/repository/managed-file.js';
import { GUIDE_FILE } from './starter-guide.js';

export const BOOTSTRAP_TITLE = 'Set up Shipgate';

export const BOOTSTRAP_MESSAGE = `Set up Shipgate

Adds the rules of releases, the workflows that keep to them, and a guide.`;

const PURPOSES: Readonly<Record<string, string>> = {
  [POLICY_FILE]: 'the rules of releases, with every default in comments; yours from now on',
  [GUIDE_FILE]: 'how releases go from here, for those who work in this repository',
  [CI_WORKFLOW]: 'runs the tests and uploads their reports as evidence',
  [ENFORCE_WORKFLOW]: 'checks the rules, and is the deploy gate as a job that a deploy workflow needs',
};
const REASONS_TO_KEEP: Readonly<Record<string, string>> = {
  [CI_WORKFLOW]: 'is your own: CI counts as custom here, and you upload evidence yourselves',
};

/** What the pull request says of itself: what it adds, what it leaves, and what its merge does. */
export function bootstrapBody({ write, kept, replaced }: BootstrapPlan, defaultBranch: string): string {
  const noteOn = (path: string): string => (replaced.includes(path) ? ' (takes the place of the file there)' : '');
  return [
    'This pull request sets this repository up for Shipgate. It brings:',
    '',
    ...write.map(({ path }) => `- \`${path}\`: ${PURPOSES[path] ?? 'belongs to it'}${noteOn(path)}`),
    ...kept.map((path) => `- \`${path}\` stays as it is: it ${REASONS_TO_KEEP[path] ?? 'is your own'}`),
    '',
    '**When it is merged**',
    '',
    `- \`sdlc.yaml\` governs releases: each milestone whose title is a version is one.`,
    `- Shipgate protects \`${defaultBranch}\` and the release branches with rulesets of its own: changes come by approved pull request with the check \`Shipgate\`, and neither force pushes nor deletions are taken. Other rules stay as they are.`,
    '- Deployments that ask the gate need evidence and an approval; nothing that is deployed now changes until a workflow asks.',
    '',
    'Close it without merging and nothing of this happens; it can be asked for again.',
  ].join('\n');
}
