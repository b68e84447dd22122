/**
 * What may go wrong on the way from GitHub to an app:
 * - `drop`: never arrives, and the log says so
 * - `lose`: never arrives, and the log knows nothing of it
 * - `duplicate`: arrives twice under one GUID
 * - `reorder`: arrives after the next delivery to the same app
 * - `delay`: arrives `ms` later; whatever follows overtakes it
 * - `tamper`: its body is changed after it was signed
 * - `unsigned`: arrives without a signature
 */
type WebhookFaultKind = 'drop' | 'lose' | 'duplicate' | 'reorder' | 'delay' | 'tamper' | 'unsigned';

export interface WebhookFault {
  readonly kind: WebhookFaultKind;
  /** An event (`milestone`) or one of its actions (`milestone.created`); any where absent. */
  readonly event?: string;
  /** How many deliveries it strikes; 1 where absent. */
  readonly times?: number;
  /** Of `delay`, in milliseconds. */
  readonly ms?: number;
  /** Of `tamper`; where absent, a space is added, so that the body still reads the same. */
  readonly change?: (body: string) => string;
}

interface PlannedFault {
  readonly fault: WebhookFault;
  left: number;
}

/** Faults that wait for a delivery to strike, in the order in which they were planned. */
export class WebhookFaults {
  private planned: PlannedFault[] = [];

  /** Plans a fault for the next deliveries that match. */
  next(fault: WebhookFault): void {
    this.planned.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.planned = [];
  }

  /** The fault that strikes this delivery, used up by one; null where none does. */
  take({ event, action }: { readonly event: string; readonly action: string | null }): WebhookFault | null {
    const names = new Set([undefined, event, `${event}.${action}`]);
    const planned = this.planned.find(({ fault }) => names.has(fault.event));
    if (!planned) return null;
    planned.left -= 1;
    if (planned.left <= 0) this.planned = this.planned.filter((other) => other !== planned);
    return planned.fault;
  }
}
