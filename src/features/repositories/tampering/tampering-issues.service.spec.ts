import { describe, expect, it } from '@jest/globals';
import { assert, property } from 'fast-check';
import { hostileText } from '../../../../test/support/hostile-text.js';
import { insideCode, outsideCode } from '../../../../test/support/rendered-markdown.js';
import { tamperingMarker, tamperingIssue } from './tampering-issues.service.js';

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
    expect(body.text.startsWith(`${tamperingMarker(CI).text}\n\n`)).toBe(true);
    expect(body.text).toContain('- `main`, found `2026-05-04T12:00:00.000Z`\n- `release/v1.0.0`');
  });

  it('is closed with a comment after the file is restored everywhere', () => {
    const { body, state } = tamperingIssue(CI, []);
    expect([state, body.text.startsWith(tamperingMarker(CI).text)]).toEqual(['closed', true]);
    expect(body.text).toContain('restored to a version that Shipgate published');
  });

  it('mentions an update only if it restores the file', () => {
    const [ci, enforce] = [CI, ENFORCE].map((path) => tamperingIssue(path, [{ branch: 'main', since }]).body.text);
    expect(ci).toContain('\n\nRevert the change. Any version');
    expect(enforce).toContain('\n\nRevert the change, or let Shipgate update its workflow files. Any version');
  });

  it('escapes the name of a branch', () => {
    const written = (branch: string): string => tamperingIssue(CI, [{ branch, since }]).body.text;
    expect(insideCode(written('a@all`</code><img>[x](y)_*é😀'))).toContain('a@all`</code><img>[x](y)_*é😀');
    assert(
      property(hostileText(), (branch) => {
        expect(outsideCode(written(`a${branch}`))).toBe(outsideCode(written('main')));
      }),
    );
  });

  it('has a marker for each file', () => {
    expect(tamperingMarker(CI).text).not.toBe(tamperingMarker(ENFORCE).text);
  });
});
