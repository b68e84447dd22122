import { describe, expect, it } from '@jest/globals';
import { markerOf, tamperingIssue } from './tampering-issue.js';

const CI = '.github/workflows/shipgate-ci.yml';
const ENFORCE = '.github/workflows/shipgate-enforce.yml';
const since = new Date('2026-05-04T12:00:00Z');

describe('the issue about a changed file', () => {
  it('begins with its marker, and names the file and every branch', () => {
    const { title, body, state } = tamperingIssue(CI, [
      { branch: 'main', since },
      { branch: 'release/v1.0.0', since },
    ]);
    expect([title, state]).toEqual([`Shipgate: ${CI} was changed`, 'open']);
    expect(body.startsWith(`${markerOf(CI)}\n\n`)).toBe(true);
    expect(body).toContain('- <code>main</code>, found 2026-05-04T12:00:00.000Z\n- <code>release/v1.0.0</code>');
  });

  it('is closed with a word once the file is restored everywhere', () => {
    const { body, state } = tamperingIssue(CI, []);
    expect([state, body.startsWith(markerOf(CI))]).toEqual(['closed', true]);
    expect(body).toContain('as Shipgate published it again');
  });

  it('speaks of an update only where that restores the file', () => {
    const [ci, enforce] = [CI, ENFORCE].map((path) => tamperingIssue(path, [{ branch: 'main', since }]).body);
    expect(ci).toContain('\n\nTake the change back. Any version');
    expect(enforce).toContain('\n\nTake the change back, or let Shipgate update its workflow files. Any version');
  });

  it("lets no branch's name become anything but a name", () => {
    const { body } = tamperingIssue(CI, [{ branch: 'a@all`</code><img>[x](y)_*é😀', since }]);
    const line = body.split('\n').find((text) => text.startsWith('- '));
    expect(line).toBe(
      '- <code>a&#64;all&#96;&#60;/code&#62;&#60;img&#62;&#91;x&#93;&#40;y&#41;_&#42;&#233;&#128512;</code>, found 2026-05-04T12:00:00.000Z',
    );
  });

  it('has a marker for each file', () => {
    expect(markerOf(CI)).not.toBe(markerOf(ENFORCE));
  });
});
