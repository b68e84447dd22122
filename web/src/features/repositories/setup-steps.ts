import type { SetupState } from './repositories.search.js';

const STEPS = ['pull', 'merge', 'protect', 'complete'] as const;

export type Step = (typeof STEPS)[number];
export type StepState = 'done' | 'current' | 'failed' | 'todo';

/** The number of steps that are done. States outside of the set-up have none. */
const DONE: Readonly<Partial<Record<SetupState, number>>> = {
  NOT_STARTED: 0,
  PR_OPEN: 1,
  MERGED: 2,
  PROTECTION_PENDING: 2,
  PROTECTION_FAILED: 2,
  COMPLETE: STEPS.length,
};

/** The steps of the set-up with their states. Null if the repository is not being set up, for example because it was removed. */
export function readSteps(state: SetupState): readonly (readonly [Step, StepState])[] | null {
  const done = DONE[state];
  if (done === undefined) return null;
  const next: StepState = state === 'PROTECTION_FAILED' ? 'failed' : 'current';
  return STEPS.map((step, at) => [step, at < done ? 'done' : at === done ? next : 'todo']);
}
