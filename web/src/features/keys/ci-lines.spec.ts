import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { actionsLines, initLines, uploadLines } from './ci-lines.js';

const SERVICE = { url: 'https://shipgate.example.com', audience: 'https://gate.example.com/?a=b' };

describe('the lines for CI', () => {
  it('are a job of GitHub Actions that may request an identity token, and that uploads after failed tests, too', () => {
    expect(parse(actionsLines(SERVICE))).toMatchObject({
      permissions: { 'id-token': 'write', contents: 'read' },
      steps: [
        {
          if: '${{ !cancelled() }}',
          env: { SHIPGATE_URL: SERVICE.url, SHIPGATE_AUDIENCE: SERVICE.audience },
          run: expect.stringMatching(/shipgate\.cjs" \|\| exit 3\nnode shipgate\.cjs upload .+ junit\.xml\n?$/),
        },
      ],
    });
  });

  it('name the address of the service and the organization', () => {
    expect(uploadLines(SERVICE, 'acme')).toMatch(
      /^export SHIPGATE_URL=https:\/\/shipgate\.example\.com SHIPGATE_REPO=acme\/REPOSITORY\n/,
    );
    expect(initLines(SERVICE)).toMatch(/\nnode shipgate\.cjs init --url https:\/\/shipgate\.example\.com$/);
  });
});
