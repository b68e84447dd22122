import { Avatar, Button } from '@primer/react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { api, readBody, type Schema } from '../../api/client.js';
import { meQuery, useIsAdmin, useMe } from '../../api/session.query.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { QueryRegion } from '../../ui/query-region.js';
import { explainDisabled } from '../../ui/reasoned-button.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { ScreenHead } from '../../ui/screen.js';
import { ActionError } from '../../ui/states.js';
import { Row, Table } from '../../ui/table.js';
import { useAction } from '../../ui/use-action.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/team.js';
import { Invites } from './invites.js';
import { teamQuery } from './team.query.js';
import classes from './team.module.css';

type Member = Schema<'Member'>;

/** The members of the workspace with their roles, and the invites. */
export function TeamScreen() {
  const query = useQuery(teamQuery);
  const isAdmin = useIsAdmin();
  const { actions, ...columns } = text.columns;
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title}>
        {query.data && <output>{text.count(query.data.members.length)}</output>}
      </ScreenHead>
      {isAdmin && <p className="quiet">{text.auditorHint}</p>}
      <QueryRegion query={query} failed={text.failed}>
        {({ members, invites }, isStale) => {
          const admins = members.filter(({ role }) => role === 'admin');
          return (
            <>
              <Table
                caption={text.caption}
                columns={[...Object.values(columns), ...(isAdmin ? [actions] : [])]}
                isStale={isStale}
              >
                {members.map((member) => (
                  <MemberRow
                    key={member.userId}
                    member={member}
                    isLastAdmin={admins.length === 1 && member.role === 'admin'}
                  />
                ))}
              </Table>
              <Invites invites={invites} isStale={isStale} />
            </>
          );
        }}
      </QueryRegion>
    </>
  );
}

interface MemberRowProps {
  readonly member: Member;
  readonly isLastAdmin: boolean;
}

function MemberRow({ member, isLastAdmin }: MemberRowProps) {
  const me = useMe();
  const isAdmin = useIsAdmin();
  const { userId, login, name, avatarUrl, role, auditor, joinedAt } = member;
  const isYou = me?.user.id === userId;
  return (
    <Row>
      <th scope="row" id={`member-${userId}`} tabIndex={-1}>
        <span className={classes['member']}>
          <Avatar src={avatarUrl} alt="" size={24} />
          <span>
            {login} {isYou && <span className="quiet">({text.you})</span>}
            {name !== null && <div className="quiet">{name}</div>}
          </span>
        </span>
      </th>
      <td>
        <div>{common.roles[role]}</div>
        {auditor && <div>{text.auditor}</div>}
      </td>
      <td>
        <RelativeTime date={joinedAt} />
      </td>
      {isAdmin && (
        <td>
          <MemberActions member={member} isLastAdmin={isLastAdmin} isYou={isYou} />
        </td>
      )}
    </Row>
  );
}

/** The change of a role, and the removal, neither of which is possible for the last admin, and the right to read the audit log. */
function MemberActions({ member, isLastAdmin, isYou }: MemberRowProps & { readonly isYou: boolean }) {
  const [isRemoving, setIsRemoving] = useState(false);
  const [isDemoting, setIsDemoting] = useState(false);
  const client = useQueryClient();
  const reason = useId();
  const { userId, login, role } = member;
  const otherRole = role === 'admin' ? 'member' : 'admin';
  const changeRole = async (to: Member['role']): Promise<void> => {
    const params = { path: { userId: String(userId) } };
    await readBody(api.PATCH('/api/team/members/{userId}', { params, body: { role: to } }));
    // The own role decides which areas the navigation shows.
    if (isYou) await client.fetchQuery({ ...meQuery, staleTime: 0 });
  };
  const action = useAction({
    run: () => changeRole(otherRole),
    changes: [['team']],
    done: () => text.roleDone(login, common.roles[otherRole]),
    // Without the role no user can give it back to oneself.
    undo: () => (isYou ? null : () => changeRole(role)),
    onDone: () => setIsDemoting(false),
  });
  const changeName = text.makes[otherRole];
  const disabled = explainDisabled(isLastAdmin ? reason : null);
  return (
    <>
      <span className={classes['actions']}>
        <Button
          size="small"
          loading={action.isRunning}
          aria-label={text.actionFor(changeName, login)}
          onClick={() => (isYou ? setIsDemoting(true) : action.start())}
          {...disabled}
        >
          {changeName}
        </Button>
        {(role === 'member' || member.auditor) && <AuditorButton member={member} />}
        <Button
          size="small"
          variant={isLastAdmin ? 'default' : 'danger'}
          aria-label={text.actionFor(text.remove, login)}
          onClick={() => setIsRemoving(true)}
          {...disabled}
        >
          {text.remove}
        </Button>
      </span>
      {isLastAdmin && (
        <div id={reason} className="quiet">
          {text.lastAdmin}
        </div>
      )}
      {action.error && !isDemoting && <ActionError error={action.error} />}
      {isDemoting && <DemoteYourselfDialog action={action} onClose={() => setIsDemoting(false)} />}
      {isRemoving && <RemoveDialog member={member} isYou={isYou} onClose={() => setIsRemoving(false)} />}
    </>
  );
}

/** Gives a member the right to read the audit log, or takes it back. Admins have it anyway, so it is not offered to them. */
function AuditorButton({ member: { userId, login, auditor } }: { readonly member: Member }) {
  const setAuditor = (isAuditor: boolean): Promise<unknown> => {
    const params = { path: { userId: String(userId) } };
    return readBody(
      isAuditor
        ? api.PUT('/api/team/members/{userId}/auditor', { params })
        : api.DELETE('/api/team/members/{userId}/auditor', { params }),
    );
  };
  const action = useAction({
    run: () => setAuditor(!auditor),
    changes: [['team']],
    done: () => text.auditorDone(login, !auditor),
    undo: () => () => setAuditor(auditor),
  });
  const changeName = auditor ? text.endsAuditor : text.makesAuditor;
  return (
    <>
      <Button
        size="small"
        loading={action.isRunning}
        aria-label={text.actionFor(changeName, login)}
        onClick={() => action.start()}
      >
        {changeName}
      </Button>
      {action.error && <ActionError error={action.error} />}
    </>
  );
}

interface DemoteYourselfDialogProps {
  readonly action: { readonly start: () => void; readonly isRunning: boolean; readonly error: Error | null };
  readonly onClose: () => void;
}

function DemoteYourselfDialog({ action, onClose }: DemoteYourselfDialogProps) {
  const org = useMe()?.workspace?.org ?? '';
  return (
    <ActionDialog
      title={text.demoteYourself}
      confirm={text.demoteYourself}
      isDangerous
      action={action}
      onConfirm={action.start}
      onClose={onClose}
    >
      <p>{text.removeYourself}</p>
      <p>{text.demoteEffect(org)}</p>
    </ActionDialog>
  );
}

interface RemoveDialogProps {
  readonly member: Member;
  readonly isYou: boolean;
  readonly onClose: () => void;
}

function RemoveDialog({ member: { userId, login }, isYou, onClose }: RemoveDialogProps) {
  const org = useMe()?.workspace?.org ?? '';
  const action = useAction({
    run: () => readBody(api.DELETE('/api/team/members/{userId}', { params: { path: { userId: String(userId) } } })),
    changes: isYou ? [] : [['team']],
    done: () => text.removeDone(login),
    onDone: () => {
      onClose();
      // The session has no workspace any more.
      if (isYou) location.assign('/workspaces');
    },
  });
  return (
    <ActionDialog
      title={text.removeTitle(login)}
      confirm={text.removeTitle(login)}
      isDangerous
      action={action}
      onConfirm={action.start}
      onClose={onClose}
    >
      {isYou && <p>{text.removeYourself}</p>}
      <p>{text.removeEffect(login, org)}</p>
    </ActionDialog>
  );
}
