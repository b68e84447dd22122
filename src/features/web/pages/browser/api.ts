/** What the service answered, or in its words why it did not. */
export type Answer<Body> =
  { readonly ok: true; readonly body: Body } | { readonly ok: false; readonly status: number; readonly error: string };

export type Role = 'admin' | 'member';

/** Who is signed in, and where. */
export interface Me {
  readonly user: { readonly login: string; readonly name: string | null; readonly avatarUrl: string };
  readonly workspace: { readonly org: string; readonly role: Role } | null;
  readonly platformAdmin: boolean;
  /** Organizations are being read: the person may be in a workspace within seconds. */
  readonly reading?: boolean;
}

const UNREACHABLE = 'Shipgate cannot be reached. Check your connection, then try again.';

/** Asks the interface as the person who is signed in. It never throws: why there is no answer is an answer. */
export async function request<Body>(path: string, method = 'GET', body?: object): Promise<Answer<Body>> {
  try {
    const response = await fetch(path, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answered = (text === '' ? {} : JSON.parse(text)) as Body & { readonly error?: string };
    if (response.ok) return { ok: true, body: answered };
    return { ok: false, status: response.status, error: answered.error ?? `Shipgate answered ${response.status}.` };
  } catch {
    return { ok: false, status: 0, error: UNREACHABLE };
  }
}

/** Where a person signs in, and is sent back from to this path of the service. */
export const signInAddress = (returnTo: string): string => `/api/auth/login?returnTo=${encodeURIComponent(returnTo)}`;
