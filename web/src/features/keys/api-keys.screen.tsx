import { Button } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, readBody, type Schema } from '../../api/client.js';
import { configQuery, useIsAdmin } from '../../api/session.query.js';
import { AdminButton } from '../../release-ui/admin-button.js';
import { CopyOnceDialog } from '../../ui/copy-once-dialog.js';
import { Lines } from '../../ui/lines.js';
import { QueryRegion } from '../../ui/query-region.js';
import { ScreenHead } from '../../ui/screen.js';
import { Section } from '../../ui/section.js';
import { EmptyState } from '../../ui/states.js';
import { Row, Table } from '../../ui/table.js';
import { text } from '../../texts/en/keys.js';
import { actionsLines, gateLines, initLines, uploadLines } from './ci-lines.js';
import { KeyName, KeyTime, RevokeDialog, type NewSecret } from './key-parts.js';
import { apiKeysQuery } from './keys.query.js';
import { NewApiKeyDialog } from './new-api-key-dialog.js';

const { columns } = text;

/** The API keys of the workspace, and the lines with which CI uses them. */
export function ApiKeysScreen() {
  const query = useQuery(apiKeysQuery);
  const isAdmin = useIsAdmin();
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<NewSecret | null>(null);
  return (
    <>
      <ScreenHead title={text.service.title} documentTitle={text.service.title}>
        <AdminButton variant="primary" onClick={() => setIsCreating(true)}>
          {text.create}
        </AdminButton>
      </ScreenHead>
      <p>{text.service.lead}</p>
      <QueryRegion query={query} failed={text.failed} rows={3}>
        {({ keys }, isStale) =>
          keys.length === 0 ? (
            <EmptyState title={text.service.none} />
          ) : (
            <Table
              caption={text.service.caption}
              columns={[
                columns.name,
                columns.scopes,
                columns.access,
                columns.created,
                columns.used,
                columns.expires,
                ...(isAdmin ? [columns.actions] : []),
              ]}
              isStale={isStale}
            >
              {keys.map((listed) => (
                <ApiKeyRow key={listed.id} listed={listed} />
              ))}
            </Table>
          )
        }
      </QueryRegion>
      {/* After the list, whose height is unknown before, so that the lines do not move. */}
      {!query.isPending && <CiLines />}
      {isCreating && <NewApiKeyDialog onCreated={setCreated} onClose={() => setIsCreating(false)} />}
      {created && !isCreating && (
        <CopyOnceDialog
          title={text.secretTitle}
          lead={text.secretLead(created.name)}
          secret={created.secret}
          onClose={() => setCreated(null)}
        />
      )}
    </>
  );
}

function CiLines() {
  const query = useQuery(configQuery);
  const { org } = useParams({ from: '/session/w/$org' });
  return (
    <Section title={text.ci.title} id="ci">
      <p>{text.ci.lead}</p>
      <QueryRegion query={query} failed={text.ci.failed}>
        {({ audience }) => {
          const service = { url: location.origin, audience };
          return (
            <>
              <Lines title={text.ci.actions}>{actionsLines(service)}</Lines>
              <Lines title={text.ci.other}>{uploadLines(service, org)}</Lines>
              <Lines title={text.ci.check}>{gateLines()}</Lines>
              <Lines title={text.ci.init}>{initLines(service)}</Lines>
            </>
          );
        }}
      </QueryRegion>
    </Section>
  );
}

const revoke = (id: string): Promise<unknown> =>
  readBody(api.DELETE('/api/settings/api-keys/{id}', { params: { path: { id } } }));

function ApiKeyRow({ listed }: { readonly listed: Schema<'ApiKey'> }) {
  const isAdmin = useIsAdmin();
  const [isRevoking, setIsRevoking] = useState(false);
  const { name, scopes, repos, createdAt, createdBy, lastUsedAt, expiresAt } = listed;
  return (
    <Row>
      <th scope="row">
        <KeyName listed={listed} />
      </th>
      <td>{scopes.map((scope) => text.service.scopeNames[scope]).join(', ')}</td>
      <td>{describeAccess(repos)}</td>
      <td>
        <KeyTime date={createdAt} /> <div className="quiet">{text.by(createdBy)}</div>
      </td>
      <td>
        <KeyTime date={lastUsedAt} />
      </td>
      <td>
        <KeyTime date={expiresAt} />
      </td>
      {isAdmin && (
        <td>
          <Button size="small" aria-label={text.revokeFor(name)} onClick={() => setIsRevoking(true)}>
            {text.revoke}
          </Button>
          {isRevoking && <RevokeDialog listed={listed} revoke={revoke} onClose={() => setIsRevoking(false)} />}
        </td>
      )}
    </Row>
  );
}

const describeAccess = (repos: readonly string[] | undefined): string => {
  if (repos === undefined) return text.everyRepository;
  return repos.length === 0 ? text.hiddenRepositories : repos.join(', ');
};
