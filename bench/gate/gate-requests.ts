import type { RequestSample } from '../measuring/load.js';
import { secretOf } from './organization-key.js';
import type { Population } from './population.js';

const STAGES = ['DEPLOYMENT', 'EVIDENCING', 'TESTING'] as const;

/** Returns the exact answer of the gate for a release of the population. */
const expectedAnswer = (organization: number, repository: number, release: number): string => {
  const kind = (organization + repository + release) % STAGES.length;
  return JSON.stringify({
    version: `v1.${release}.0`,
    current_stage: STAGES[kind],
    evidence_pr_approved: kind === 0,
    tests_passing: kind < 2,
    can_deploy: kind === 0,
  });
};

const anyOf = (count: number): number => 1 + Math.floor(Math.random() * count);

/** Returns a function that creates a request for a random release of a random organization with the key of that organization. */
export function gateRequests({ organizations, repositories, releases }: Population): () => RequestSample {
  const secrets = Array.from({ length: organizations }, (_, at) => secretOf(at + 1));
  return () => {
    const organization = anyOf(organizations);
    const repository = anyOf(repositories);
    const release = anyOf(releases);
    return {
      request:
        `GET /api/milestones/check?version=v1.${release}.0&repo=org-${organization}/service-${repository} HTTP/1.1\r\n` +
        `Host: 127.0.0.1\r\nAuthorization: Bearer ${secrets[organization - 1]}\r\nAccept: application/json\r\n\r\n`,
      status: 'HTTP/1.1 200 OK',
      answer: expectedAnswer(organization, repository, release),
    };
  };
}
