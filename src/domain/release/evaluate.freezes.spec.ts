import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, STRICT_POLICY } from '../../../test/support/given-facts.js';
import { givenOpenRelease } from '../../../test/support/given-release.js';
import { FREEZE, FROZEN } from '../../../test/support/spoiled-release.js';

describe('a freeze of the workspace', () => {
  it('closes the gate as one of the policy does, and says which', () => {
    const { stage, gate } = givenOpenRelease()
      .decided({ freezes: [FREEZE] })
      .verdict();
    expect([stage, gate.openUntil, gate.reasons]).toEqual([
      'DEPLOYMENT',
      null,
      [{ code: 'freeze', detail: FROZEN, actor: 'admin' }],
    ]);
  });

  it('is said once beside one of the policy, and each where they differ', () => {
    const world = givenOpenRelease().ruledBy({ ...STRICT_POLICY, freezes: [FREEZE] });
    expect(world.decided({ freezes: [FREEZE] }).verdict().gate.reasons).toHaveLength(1);
    expect(world.decided({ freezes: [{ ...FREEZE, reason: 'audit' }] }).verdict().gate.reasons).toHaveLength(2);
  });

  it('bounds how long an answer holds', () => {
    const world = givenOpenRelease();
    world.now = new Date('2026-05-04T23:59:00Z');
    const next = { ...FREEZE, from: '2026-05-05', to: '2026-05-06' };
    expect(
      world
        .renew()
        .decided({ freezes: [next] })
        .verdict().gate.openUntil,
    ).toBe(Date.parse('2026-05-05'));
    expect(world.decided({ freezes: [FREEZE] }).verdict().gate.validUntil).toBe(Date.parse('2026-05-05'));
  });

  it('closes the gate of a shipped release too', () => {
    const shipped = {
      candidateSha: CANDIDATE,
      candidateShas: [CANDIDATE],
      testsPassing: true,
      evidenceApproved: true,
      approvalRequired: true,
    };
    const world = givenOpenRelease().recorded({ stage: 'DEPLOYED', shipped });
    expect(world.isOpen()).toBe(true);
    expect(world.decided({ freezes: [FREEZE] }).reasons()).toEqual(['freeze']);
  });
});
