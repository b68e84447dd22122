import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, readBody, type Schema } from '../../../api/client.js';
import { useReadinessStatus } from '../../../release-ui/outcome-label.js';
import { StatusLabel, type StatusKind } from '../../../release-ui/status-label.js';
import { CopyButton } from '../../../ui/copy-button.js';
import { ExternalLink, Sha } from '../../../ui/links.js';
import { QueryRegion } from '../../../ui/query-region.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { Row, Table } from '../../../ui/table.js';
import { text } from '../../../texts/en/artifacts.js';
import { useRelease } from '../release.query.js';
import classes from '../release.module.css';

type Artifact = Schema<'Artifact'>;

/** The bindings that are not final, or bind nothing. */
const BINDINGS: Readonly<Partial<Record<Artifact['binding'], StatusKind>>> = { pending: 'running', none: 'lost' };

const artifactsQuery = (id: string) =>
  queryOptions({
    queryKey: ['release', id, 'artifacts'],
    queryFn: ({ signal }) => readBody(api.GET('/api/milestones/{id}/artifacts', { params: { path: { id } }, signal })),
  });

/** The artifacts of a release, and what binds them to its commits. Nothing if there are none and the policy names none. */
export function Artifacts() {
  const { release, policy } = useRelease();
  const query = useQuery(artifactsQuery(release.milestoneId));
  const required = policy.rules?.testing.requiredArtifacts ?? [];
  if (required.length === 0 && query.error === null && !query.data?.artifacts.length) return null;
  return (
    <section aria-labelledby="artifacts" className={classes['part']}>
      <h2 id="artifacts">{text.title}</h2>
      <QueryRegion query={query} failed={text.failed} rows={2}>
        {({ artifacts }) => {
          const missing = required.filter(({ name }) => !artifacts.some((artifact) => artifact.name === name));
          return (
            <>
              {missing.length > 0 && release.deployedAt === null && (
                <p className="quiet">{text.missing(missing.map(({ name }) => name).join(', '))}</p>
              )}
              {artifacts.length > 0 && (
                <Table caption={text.caption} columns={Object.values(text.columns)}>
                  {artifacts.map((artifact) => (
                    <ArtifactRow key={artifact.id} artifact={artifact} />
                  ))}
                </Table>
              )}
            </>
          );
        }}
      </QueryRegion>
    </section>
  );
}

const DIGEST = 'sha256:';
const DIGITS = 12;

function ArtifactRow({ artifact }: { readonly artifact: Artifact }) {
  const { release } = useRelease();
  const isOld = useReadinessStatus(release.readiness) === 'expired' && release.deployedAt === null;
  const { name, digest, commitSha, binding, accepted, receivedAt, bundles, runId } = artifact;
  const builds = bundles.flatMap(({ provenance }) => provenance ?? []);
  const invalid = bundles.filter(({ status }) => status === 'invalid');
  const kind = BINDINGS[binding];
  const run = builds[0]?.runId ?? runId;
  return (
    <Row>
      <th scope="row">
        {name}
        <div className="quiet">
          <code title={digest}>{digest.slice(DIGEST.length, DIGEST.length + DIGITS)}…</code>
          <CopyButton text={digest} label={text.copyDigest(name)} />
        </div>
      </th>
      <td>
        <StatusLabel kind={accepted ? (isOld ? 'stale' : 'good') : 'neutral'}>
          {accepted ? text.accepted : text.notAccepted}
        </StatusLabel>
        {invalid.map(({ sha256, reason }) => (
          <div key={sha256}>
            <StatusLabel kind="failed">{text.invalid}</StatusLabel> <span lang="en">{reason}</span>
          </div>
        ))}
      </td>
      <td>
        {kind === undefined ? text.bindings[binding] : <StatusLabel kind={kind}>{text.bindings[binding]}</StatusLabel>}
        <div className="quiet">
          <Sha sha={commitSha} href={`${release.repoUrl}/commit/${commitSha}`} />
        </div>
      </td>
      <td>
        {builds.map(({ runnerEnvironment, signerWorkflow }) => (
          <div key={`${runnerEnvironment} ${signerWorkflow}`}>
            {runnerEnvironment}
            <div className="quiet">{signerWorkflow}</div>
          </div>
        ))}
      </td>
      <td>
        <RelativeTime date={receivedAt} />
        {run !== null && (
          <div>
            <ExternalLink href={`${release.repoUrl}/actions/runs/${run}`}>{text.run}</ExternalLink>
          </div>
        )}
      </td>
    </Row>
  );
}
