/** The storage key of the token. The token is stored because the sign-in leaves the page. */
const STORAGE_KEY = 'shipgate.invite';

/** Stores the token of the fragment of a link, for example "sgi_…". False if there is none. */
export function storeInviteToken(fragment: string): boolean {
  if (fragment === '') return false;
  sessionStorage.setItem(STORAGE_KEY, fragment);
  return true;
}

export const readInviteToken = (): string | null => sessionStorage.getItem(STORAGE_KEY);

/** Deletes the token, because the invite was accepted or will never work. */
export const deleteInviteToken = (): void => sessionStorage.removeItem(STORAGE_KEY);
