import { Button, Checkbox, Select } from '@primer/react';
import { useState } from 'react';
import { api, ApiError, readBody, type Schema } from '../../api/client.js';
import { useIsAdmin } from '../../api/session.query.js';
import { AdminButton } from '../../release-ui/admin-button.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { CopyOnceDialog } from '../../ui/copy-once-dialog.js';
import { Field, TextField } from '../../ui/field.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Section } from '../../ui/section.js';
import { Row, Table } from '../../ui/table.js';
import { useAction } from '../../ui/use-action.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/team.js';
import classes from './team.module.css';

type Invite = Schema<'PendingInvite'>;
type Role = Invite['role'];

interface InvitesProps {
  readonly invites: readonly Invite[];
  readonly isStale: boolean;
}

/** A new invite. The link exists here until its dialog closes, and nowhere else. */
interface NewInvite {
  readonly url: string;
  readonly login: string | null;
}

/** The invites that wait, and the creation of another one. */
export function Invites({ invites, isStale }: InvitesProps) {
  const isAdmin = useIsAdmin();
  const { actions, ...columns } = text.inviteColumns;
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<NewInvite | null>(null);
  return (
    <Section title={text.invites}>
      <p>
        <AdminButton variant="primary" onClick={() => setIsCreating(true)}>
          {text.invite}
        </AdminButton>
      </p>
      {invites.length === 0 ? (
        <p>{text.noInvites}</p>
      ) : (
        <Table
          caption={text.invitesCaption}
          columns={[...Object.values(columns), ...(isAdmin ? [actions] : [])]}
          isStale={isStale}
        >
          {invites.map((invite) => (
            <InviteRow key={invite.id} invite={invite} />
          ))}
        </Table>
      )}
      {isCreating && <InviteDialog onCreated={setCreated} onClose={() => setIsCreating(false)} />}
      {created && !isCreating && (
        <CopyOnceDialog
          title={text.linkTitle}
          lead={text.linkLead(created.login)}
          secret={created.url}
          onClose={() => setCreated(null)}
        />
      )}
    </Section>
  );
}

interface InviteDialogProps {
  readonly onCreated: (invite: NewInvite) => void;
  readonly onClose: () => void;
}

function InviteDialog({ onCreated, onClose }: InviteDialogProps) {
  const [login, setLogin] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [isAuditor, setIsAuditor] = useState(false);
  const action = useAction({
    run: async () => {
      const name = login.trim().replace(/^@/, '');
      const body = { role, auditor: isAuditor, ...(name !== '' && { login: name }) };
      // The result of an action is cached, so the link is not part of it.
      const { url } = await readBody(api.POST('/api/team/invites', { body }));
      onCreated({ url, login: name === '' ? null : name });
    },
    changes: [['team']],
    done: () => text.inviteDone,
    onDone: onClose,
  });
  const { error } = action;
  const isAboutLogin = error instanceof ApiError && error.status === 422;
  return (
    <ActionDialog
      title={text.inviteTitle}
      confirm={text.inviteConfirm}
      action={isAboutLogin ? { ...action, error: null } : action}
      onConfirm={action.start}
      onClose={onClose}
    >
      <p>{text.inviteEffect}</p>
      <TextField
        label={text.login}
        hint={text.loginHint}
        isOptional
        error={isAboutLogin ? error.message : undefined}
        block
        spellCheck={false}
        value={login}
        onChange={setLogin}
      />
      <Field label={text.role}>
        {(attributes) => (
          <Select
            {...attributes}
            value={role}
            onChange={({ target }) => setRole(target.value === 'admin' ? 'admin' : 'member')}
          >
            <Select.Option value="member">{common.roles.member}</Select.Option>
            <Select.Option value="admin">{common.roles.admin}</Select.Option>
          </Select>
        )}
      </Field>
      <label className={classes['option']}>
        <Checkbox checked={isAuditor} onChange={({ target }) => setIsAuditor(target.checked)} />
        {text.auditor}
      </label>
      <p className="quiet">{text.inviteAuditorHint}</p>
    </ActionDialog>
  );
}

function InviteRow({ invite: { id, login, role, auditor, createdBy, expiresAt } }: { readonly invite: Invite }) {
  const isAdmin = useIsAdmin();
  return (
    <Row>
      <th scope="row">{login ?? text.anyone}</th>
      <td>
        <div>{common.roles[role]}</div>
        {auditor && <div>{text.auditor}</div>}
      </td>
      <td>{createdBy}</td>
      <td>
        <RelativeTime date={expiresAt} />
      </td>
      {isAdmin && (
        <td>
          <Withdrawal id={id} login={login} />
        </td>
      )}
    </Row>
  );
}

function Withdrawal({ id, login }: Pick<Invite, 'id' | 'login'>) {
  const [isOpen, setIsOpen] = useState(false);
  const action = useAction({
    run: () => readBody(api.DELETE('/api/team/invites/{id}', { params: { path: { id } } })),
    changes: [['team']],
    done: () => text.withdrawDone,
    onDone: () => setIsOpen(false),
  });
  return (
    <>
      <Button size="small" aria-label={text.withdrawFor(login)} onClick={() => setIsOpen(true)}>
        {text.withdraw}
      </Button>
      {isOpen && (
        <ActionDialog
          title={text.withdrawTitle}
          confirm={text.withdrawTitle}
          isDangerous
          action={action}
          onConfirm={action.start}
          onClose={() => setIsOpen(false)}
        >
          <p>{text.withdrawEffect(login)}</p>
        </ActionDialog>
      )}
    </>
  );
}
