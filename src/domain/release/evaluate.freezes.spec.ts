import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, STRICT_POLICY } from '../../../test/support/given-facts.js';
import { givenOpenRelease } from '../../../test/support/release-builder.js';
import { FREEZE, FROZEN, FROZEN_SUBJECT } from '../../../test/support/release-with-problem.js';

describe('a freeze of the workspace', () => {
  it('closes the gate like a freeze of the policy, and names the freeze', () => {
    const { stage, gate } = givenOpenRelease()
      .decided({ freezes: [FREEZE] })
      .verdict();
    expect([stage, gate.openUntil, gate.reasons]).toEqual([
      'DEPLOYMENT',
      null,
      [{ code: 'freeze', detail: FROZEN, actor: 'admin', subjects: [FROZEN_SUBJECT] }],
    ]);
  });

  it('is reported once if the policy declares the same freeze, and separately otherwise', () => {
    const release = givenOpenRelease().ruledBy({ ...STRICT_POLICY, freezes: [FREEZE] });
    expect(release.decided({ freezes: [FREEZE] }).verdict().gate.reasons).toHaveLength(1);
    expect(release.decided({ freezes: [{ ...FREEZE, reason: 'audit' }] }).verdict().gate.reasons).toHaveLength(2);
  });

  it('limits how long an answer is valid', () => {
    const release = givenOpenRelease();
    release.now = new Date('2026-05-04T23:59:00Z');
    const next = { ...FREEZE, from: '2026-05-05', to: '2026-05-06' };
    expect(
      release
        .renew()
        .decided({ freezes: [next] })
        .verdict().gate.openUntil,
    ).toBe(Date.parse('2026-05-05'));
    expect(release.decided({ freezes: [FREEZE] }).verdict().gate.validUntil).toBe(Date.parse('2026-05-05'));
  });

  it('closes the gate of a shipped release', () => {
    const shipped = {
      candidateSha: CANDIDATE,
      candidateShas: [CANDIDATE],
      testsPassing: true,
      evidenceApproved: true,
      approvalRequired: true,
      passed: true,
    };
    const release = givenOpenRelease().recorded({ stage: 'DEPLOYED', shipped });
    expect(release.isOpen()).toBe(true);
    expect(release.decided({ freezes: [FREEZE] }).reasons()).toEqual(['freeze']);
  });
});
