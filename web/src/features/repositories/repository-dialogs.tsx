import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { billingQuery } from '../../api/billing.query.js';
import { api, ApiError, readBody, type Schema } from '../../api/client.js';
import { configQuery } from '../../api/session.query.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { ExternalLink, Sha } from '../../ui/links.js';
import { QueryRegion } from '../../ui/query-region.js';
import { Facts } from '../../ui/screen.js';
import { useAction } from '../../ui/use-action.js';
import { text } from '../../texts/en/repositories.js';
import { workflowUpdateQuery } from './repositories.query.js';
import { isTokenMissing, TokenField, useToken } from './token-field.js';

interface DialogProps {
  /** The workspace. */
  readonly org: string;
  readonly repository: Schema<'Repository'>;
  readonly onClose: () => void;
}

/** The queries that show the state of a repository. */
const toQueries = (repoId: string) =>
  [['repositories'], ['repository', repoId], ['workflow-update', repoId], ['warnings'], ['billing']] as const;

/** Asks before the set-up: its files, and the places of the plan that are left. */
export function SetUpDialog({ org, repository: { id, name, managed, setup }, onClose }: DialogProps) {
  const { token, setToken, send } = useToken();
  const hasPlans = useQuery(configQuery).data?.billing ?? false;
  const needsPlace = hasPlans && !managed;
  const places = useQuery({ ...billingQuery, enabled: needsPlace }).data?.managedRepositories;
  const action = useAction({
    run: () =>
      send((body) => readBody(api.POST('/api/repos/{repoId}/bootstrap', { params: { path: { repoId: id } }, body }))),
    changes: toQueries(id),
    done: () => text.setUpDone(name),
    onDone: onClose,
  });
  const needsToken = setup.tokenNeeded || isTokenMissing(action.error);
  return (
    <ActionDialog
      title={text.setUpTitle(name)}
      confirm={text.setUpConfirm}
      canConfirm={!needsToken || token !== ''}
      action={action}
      onConfirm={action.start}
      onClose={onClose}
    >
      <p>{text.setUpEffect}</p>
      <Files files={text.files} />
      {needsPlace && places && places.limit !== null && <p>{text.setUpPlaces(places.used, places.limit)}</p>}
      {action.error instanceof ApiError && action.error.status === 402 && (
        <p>
          <Link to="/w/$org/settings/billing" params={{ org }}>
            {text.toPlan}
          </Link>
        </p>
      )}
      {needsToken && <TokenField purpose="setup" value={token} onChange={setToken} />}
    </ActionDialog>
  );
}

/** Asks before the rulesets are created or repaired. */
export function ProtectDialog({ repository: { id, name, protection }, onClose }: DialogProps) {
  const { token, setToken, send } = useToken();
  const action = useAction({
    run: () =>
      send((body) =>
        readBody(api.POST('/api/repos/{repoId}/configure-rulesets', { params: { path: { repoId: id } }, body })),
      ),
    changes: toQueries(id),
    done: () => text.protectDone(name),
    onDone: onClose,
  });
  const needsToken = protection.tokenNeeded || isTokenMissing(action.error);
  return (
    <ActionDialog
      title={text.protectTitle(name)}
      confirm={text.protectConfirm}
      canConfirm={!needsToken || token !== ''}
      action={action}
      onConfirm={action.start}
      onClose={onClose}
    >
      <p>{text.protectEffect}</p>
      <Files files={text.rulesets} />
      {needsToken && <TokenField purpose="protection" value={token} onChange={setToken} />}
    </ActionDialog>
  );
}

/** Asks before the update of the workflow files, and shows their state on GitHub, for example a branch that is in the way. */
export function UpdateDialog({ repository: { id, name, setup }, onClose }: DialogProps) {
  const { token, setToken, send } = useToken();
  const query = useQuery(workflowUpdateQuery(id));
  const action = useAction({
    run: () =>
      send((body) =>
        readBody(api.POST('/api/repos/{repoId}/workflow-update-pr', { params: { path: { repoId: id } }, body })),
      ),
    changes: toQueries(id),
    done: () => text.updateDone(name),
    onDone: onClose,
  });
  const status = query.data?.status;
  const needsToken = status === 'PAT_REQUIRED' || setup.tokenNeeded || isTokenMissing(action.error);
  const canUpdate = status === 'UPDATE_AVAILABLE' || status === 'PAT_REQUIRED';
  return (
    <ActionDialog
      title={text.updateTitle(name)}
      confirm={text.updateConfirm}
      canConfirm={canUpdate && (!needsToken || token !== '')}
      action={action}
      onConfirm={action.start}
      onClose={onClose}
    >
      <QueryRegion query={query} failed={text.updateFailed} rows={3}>
        {(update) => (
          <>
            {canUpdate && <p>{text.updateEffect}</p>}
            <UpdateState update={update} />
            <ul>
              {update.managedFiles.map((file) => (
                <li key={file}>
                  <code>{file}</code>
                </li>
              ))}
            </ul>
            <Facts
              entries={[
                [
                  text.facts.installed,
                  update.installedRevision === null ? (
                    text.noRevision
                  ) : (
                    <Sha key="installed" sha={update.installedRevision} />
                  ),
                ],
                [text.facts.current, <Sha key="target" sha={update.targetRevision} />],
              ]}
            />
          </>
        )}
      </QueryRegion>
      {canUpdate && needsToken && <TokenField purpose="update" value={token} onChange={setToken} />}
    </ActionDialog>
  );
}

function UpdateState({ update: { status, branch, prUrl, prNumber } }: { readonly update: Schema<'WorkflowUpdate'> }) {
  const sentence = text.updateStates[status];
  if (sentence === null) return null;
  return (
    <p>
      {sentence} {status === 'CONFLICT' && branch !== null && <code>{branch}</code>}
      {prNumber !== null && <ExternalLink href={prUrl}>#{prNumber}</ExternalLink>}
    </p>
  );
}

/** Names of files or rulesets with their purpose. */
function Files({ files }: { readonly files: Readonly<Record<string, string>> }) {
  return (
    <ul>
      {Object.entries(files).map(([name, purpose]) => (
        <li key={name}>
          <code>{name}</code>: {purpose}
        </li>
      ))}
    </ul>
  );
}
