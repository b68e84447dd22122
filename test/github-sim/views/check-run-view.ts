import type { CheckRun } from '../state/check-runs.js';
import { appView } from './app-view.js';
import { isoDate, isoDateOrNull, nodeId } from './wire.js';

/** `check-run`. */
export function checkRunView(run: CheckRun) {
  const { id, repository, headSha, app } = run;
  const url = `${repository.apiUrl}/check-runs/${id}`;
  const htmlUrl = `${repository.htmlUrl}/runs/${id}`;
  const heads = repository.pulls.list().filter((pull) => pull.issue.state === 'open' && pull.headSha === headSha);
  const reference = { id: repository.id, url: repository.apiUrl, name: repository.name };
  return {
    id,
    node_id: nodeId('CheckRun', id),
    head_sha: headSha,
    name: run.name,
    external_id: run.externalId,
    url,
    html_url: htmlUrl,
    details_url: run.detailsUrl ?? htmlUrl,
    status: run.status,
    conclusion: run.conclusion,
    started_at: isoDate(run.startedAt),
    completed_at: isoDateOrNull(run.completedAt),
    output: { ...run.output, annotations_count: 0, annotations_url: `${url}/annotations` },
    check_suite: checkSuiteView(run),
    app: appView(app),
    pull_requests: heads.map((pull) => ({
      url: `${repository.apiUrl}/pulls/${pull.number}`,
      id: pull.issue.id,
      number: pull.number,
      head: { ref: pull.headRef, sha: pull.headSha, repo: reference },
      base: { ref: pull.baseRef, sha: pull.baseSha, repo: reference },
    })),
  };
}

function checkSuiteView({ suiteId, repository, headSha, app, status, conclusion, startedAt }: CheckRun) {
  const branch = [...repository.git.refs].find(([, sha]) => sha === headSha)?.[0].replace('refs/heads/', '') ?? null;
  return {
    id: suiteId,
    node_id: nodeId('CheckSuite', suiteId),
    head_branch: branch,
    head_sha: headSha,
    status,
    // The webhook reports a suite of only skipped runs as neutral.
    conclusion: conclusion === 'skipped' ? 'neutral' : conclusion,
    url: `${repository.apiUrl}/check-suites/${suiteId}`,
    before: null,
    after: null,
    pull_requests: [],
    app: appView(app),
    created_at: isoDate(startedAt),
    updated_at: isoDate(startedAt),
  };
}
