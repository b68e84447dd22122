/** Texts of the screen of one release. */
export const text = {
  failed: 'The release could not be loaded.',
  parts: 'Parts of the release',
  tabs: {
    scope: 'Scope',
    evidence: 'Evidence',
    checks: 'Checks',
    approvals: 'Approvals',
    decisions: 'Decisions',
    overrides: 'Overrides',
    policy: 'Policy',
  },
} as const;
