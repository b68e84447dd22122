import { Button, Heading, Label, LinkButton, Spinner } from '@primer/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { api, readBody } from '../../api/client.js';
import { readWorkspace } from '../../api/read-workspace.js';
import { configQuery, workspacesQuery } from '../../api/session.query.js';
import { sendToTabs } from '../../live/tabs.js';
import { NotVisible } from '../../ui/not-visible.js';
import { EmptyState, ErrorState } from '../../ui/states.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/workspaces.js';
import classes from './workspaces.module.css';

/** Selects the workspace of the session. With one workspace it does so by itself. */
export function WorkspacesScreen() {
  const { returnTo, notice } = useSearch({ from: '/session/workspaces' });
  const [client, router] = [useQueryClient(), useRouter()];
  const workspaces = useQuery(workspacesQuery);
  const select = useMutation({
    mutationFn: (org: string) => readBody(api.POST('/api/auth/workspace', { body: { org } })),
    onSuccess: async (_, org) => {
      // Everything in the cache belongs to the former workspace.
      client.clear();
      sendToTabs({ selected: org });
      await router.invalidate();
      if (returnTo !== undefined && isWithin(returnTo, org)) router.history.push(returnTo);
      else await router.navigate({ to: '/w/$org/releases', params: { org } });
    },
  });
  const selectOnly = useEffectEvent(select.mutate);
  const installUrl = useQuery(configQuery).data?.installUrl;
  const list = workspaces.data?.workspaces;
  const isRead = list !== undefined && !workspaces.data?.reading;
  const linked = returnTo === undefined ? null : readWorkspace(returnTo);
  // The link leads to a workspace that the user may not see. To open another one would hide this.
  const hidden = isRead && linked !== null && !list.some(({ org }) => isSame(org, linked)) ? linked : null;
  const only = isRead && list.length === 1 && notice === undefined && hidden === null ? list[0]!.org : null;
  // Once: the list is read again after the selection, when the next screen may be there already.
  const canSelect = select.isIdle;
  useEffect(() => {
    if (only !== null && canSelect) selectOnly(only);
  }, [only, canSelect]);

  return (
    <main id="main" className="page">
      <Heading as="h1">{text.title}</Heading>
      {notice === 'installation_requested' && <output>{text.installationRequested}</output>}
      {workspaces.isError && (
        <ErrorState title={text.failed} error={workspaces.error} onRetry={() => void workspaces.refetch()} />
      )}
      {select.isError && <ErrorState title={text.notSelected} error={select.error} onRetry={() => select.reset()} />}
      {workspaces.isPending && <Spinner srText={common.loading} />}
      {workspaces.data?.reading && <output>{text.reading}</output>}
      {hidden !== null && <NotVisible title={text.notVisible(hidden)} returnTo={returnTo ?? '/'} />}
      {list?.length === 0 && !workspaces.data?.reading && (
        <EmptyState title={text.none}>
          <p>{text.noneInstall}</p>
          {installUrl && <LinkButton href={installUrl}>{text.install}</LinkButton>}
          <p>{text.noneInvite}</p>
        </EmptyState>
      )}
      {list !== undefined && list.length > 0 && (
        <>
          <p>{hidden === null ? text.lead : text.own}</p>
          <ul aria-label={text.title} className={classes['workspaces']}>
            {list.map(({ org, role, installed }) => (
              <li key={org}>
                <Button
                  block
                  alignContent="start"
                  aria-disabled={select.isPending}
                  trailingVisual={<Label>{common.roles[role]}</Label>}
                  onClick={() => {
                    if (!select.isPending) select.mutate(org);
                  }}
                >
                  {org} {!installed && <span className="quiet">{text.notInstalled}</span>}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </main>
  );
}

const isSame = (org: string, other: string): boolean => org.toLowerCase() === other.toLowerCase();

const isWithin = (path: string, org: string): boolean => path.toLowerCase().startsWith(`/w/${org.toLowerCase()}/`);
