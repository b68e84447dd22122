import type { Browser, BrowserContext, Page } from 'playwright-core';

const PATIENCE_MS = 60_000;

export interface GuestOptions {
  /** The width of the window, in pixels. */
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** False disables scripts. */
  readonly scripts?: boolean;
}

/** A new visitor with their own browser. It records the errors of the console. */
export class Guest {
  readonly complaints: string[] = [];

  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  static async arrive(
    browser: Browser,
    { width = 1000, scripts = true, colorScheme = 'light' }: GuestOptions = {},
  ): Promise<Guest> {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      javaScriptEnabled: scripts,
      colorScheme,
    });
    // Less than the timeout of a test, so that the error names the element that is missing.
    context.setDefaultTimeout(PATIENCE_MS);
    return Guest.of(context, await context.newPage());
  }

  /** The visitor in another tab, for example one that a link opened. */
  static of(context: BrowserContext, page: Page): Guest {
    const guest = new Guest(context, page);
    // The console also shows violations of the security policy.
    guest.page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) guest.complaints.push(message.text());
    });
    guest.page.on('pageerror', (error) => guest.complaints.push(error.message));
    guest.page.on('dialog', (dialog) => {
      guest.complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return guest;
  }

  /** Goes through the consent page of GitHub, from a page that offers to sign in. */
  async signInAs(login: string): Promise<void> {
    await this.page.getByRole('link', { name: 'Sign in with GitHub' }).click();
    await this.page.getByRole('heading', { name: 'Authorize Shipgate' }).waitFor();
    await this.page.locator(`button[value="${login}"]`).click();
  }

  /** Waits until the page has this heading. */
  async reads(heading: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  }

  /** Waits for a part of the page and returns its text. */
  async part(title: string): Promise<string> {
    const part = this.page.getByRole('region', { name: title, exact: true });
    // The part is visible before its data, and `aria-busy` until the data is loaded.
    await part.waitFor();
    await part.locator('[aria-busy]').waitFor({ state: 'detached' });
    return part.innerText();
  }

  /** The value of the `Cookie` header that the browser would send. */
  async cookie(): Promise<string> {
    return (await this.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  async leave(): Promise<void> {
    // A request that a test changes on its way can still wait for the service. Its end is then no error.
    for (const page of this.context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
    await this.context.close();
  }
}
