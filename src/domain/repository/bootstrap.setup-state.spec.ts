import { describe, expect, it } from '@jest/globals';
import {
  isMerged,
  canStartBootstrap,
  SETUP_STEPS,
  type SetupCircumstances,
  type SetupState,
  repositorySetupState,
  type SetupStep,
} from './bootstrap.js';

const REACHED: SetupCircumstances = { removed: false, installed: true, suspended: false, managed: false, step: null };
const stateOf = (changes: Partial<SetupCircumstances>): SetupState => repositorySetupState({ ...REACHED, ...changes });

describe('repositorySetupState', () => {
  it.each<[SetupStep | null, boolean, SetupState]>([
    [null, false, 'NOT_STARTED'],
    [null, true, 'LEGACY'],
    ['opening', false, 'NOT_STARTED'],
    ['opening', true, 'NOT_STARTED'],
    ['pr_open', true, 'PR_OPEN'],
    ['closed', false, 'NOT_STARTED'],
    ['closed', true, 'LEGACY'],
    ['merged', true, 'MERGED'],
    ['protection_pending', true, 'PROTECTION_PENDING'],
    ['protection_failed', true, 'PROTECTION_FAILED'],
    ['complete', true, 'COMPLETE'],
    // Removed from the installation and added again, after other repositories used up the plan's limit.
    ['complete', false, 'COMPLETE'],
  ])('returns for the step %s with managed %s the state %s', (step, managed, expected) => {
    expect(stateOf({ step, managed })).toBe(expected);
  });

  it.each<SetupStep | null>([null, ...SETUP_STEPS])(
    'returns missing access of the app before the progress, at the step %s',
    (step) => {
      expect(stateOf({ step, managed: true, suspended: true })).toBe('SUSPENDED');
      expect(stateOf({ step, managed: true, suspended: true, removed: true })).toBe('REMOVED');
      expect(stateOf({ step, managed: true, installed: false })).toBe('REMOVED');
    },
  );
});

describe('a bootstrap', () => {
  it('can start when there was none or the last one was closed', () => {
    expect([null, ...SETUP_STEPS].filter(canStartBootstrap)).toEqual([null, 'closed']);
  });

  it('has installed the workflows after its merge', () => {
    expect([null, ...SETUP_STEPS].filter(isMerged)).toEqual([
      'merged',
      'protection_pending',
      'protection_failed',
      'complete',
    ]);
  });
});
