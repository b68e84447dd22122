import { expect, it } from '@jest/globals';
import { approvalLines } from './approval-lines.js';

const DECISION = { id: 'd1', open: true, rules: '0.9.0', stages: null, approvals: null };

it.each([
  [true, /^The rules have changed since\. `shipgate verify-pack` of version 0\.9\.0 shows/m],
  [false, /^Warning: the service cannot derive this decision again from its stored inputs\./m],
])('says why it does not show what was met, if the rules have changed: %s', (rulesChanged, sentence) => {
  const lines = approvalLines({ decision: { ...DECISION, rulesChanged } }).join('\n');
  expect(lines).toMatch(sentence);
  expect(lines.match(/verify-pack` of version|cannot derive/g)).toHaveLength(1);
});

it('prints text of others as one plain line', () => {
  const decision = { ...DECISION, stages: [{ stage: 'TESTING', met: [{ detail: 'one\n\u001b[31mtwo' }] }] };
  const lines = approvalLines({ decision });
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}TESTING: one.*two$/));
  expect(lines.join('')).not.toContain('\u001b');
});
