import { PersonIcon } from '@primer/octicons-react';
import type { Schema } from '../../api/client.js';
import { common } from '../../texts/en/common.js';
import classes from './release-list.module.css';

/** Who can meet a condition: the users whom the service names, or else their role. */
export function ConditionActors({ condition: { users, actor } }: { readonly condition: Schema<'ListedCondition'> }) {
  if (users.length === 0) return common.actors[actor];
  return users.map(({ login, avatarUrl }) => (
    <span key={login} className={classes['user']}>
      {avatarUrl === null ? <PersonIcon /> : <img src={avatarUrl} alt="" width={20} height={20} loading="lazy" />}{' '}
      {login}
    </span>
  ));
}
