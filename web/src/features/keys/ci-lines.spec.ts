import { describe, expect, it } from '@jest/globals';
import { actionsLines, gateLines, uploadLines } from './ci-lines.js';

const SERVICE = { url: 'https://shipgate.example.com', audience: 'https://gate.example.com/?a=b' };

describe('the lines for CI', () => {
  it('request an identity token for the audience of the service, as a part of a URL', () => {
    expect(actionsLines(SERVICE)).toContain(
      '"$ACTIONS_ID_TOKEN_REQUEST_URL&audience=https%3A%2F%2Fgate.example.com%2F%3Fa%3Db"',
    );
    expect(actionsLines(SERVICE)).toContain('  id-token: write\n');
    expect(actionsLines(SERVICE)).toContain('if: ${{ !cancelled() }}');
  });

  it('name the address of the service', () => {
    expect(uploadLines(SERVICE)).toMatch(/ https:\/\/shipgate\.example\.com\/api\/evidence\/upload$/);
    expect(actionsLines(SERVICE)).toMatch(/ https:\/\/shipgate\.example\.com\/api\/evidence\/upload$/);
    expect(gateLines(SERVICE)).toContain(' https://shipgate.example.com/api/milestones/check | jq -e');
  });

  it('continue the lines of a command', () => {
    for (const lines of [actionsLines(SERVICE), uploadLines(SERVICE), gateLines(SERVICE)]) {
      const command = lines.slice(lines.lastIndexOf('curl ')).split('\n');
      expect(command.slice(0, -1).every((line) => line.endsWith(' \\'))).toBe(true);
      expect(command.at(-1)).not.toMatch(/\\$/);
    }
  });
});
