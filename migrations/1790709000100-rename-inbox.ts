import type { MigrationInterface, QueryRunner } from 'typeorm';
import { renameColumns, renameFunctions, renameTable, restoreFunctions } from './rename-sql.js';

const FUNCTIONS = {
  forget_webhooks: 'delete_old_deliveries',
  receive_webhooks_in_turn: 'insert_deliveries',
  read_webhook: 'get_delivery',
  finish_webhook: 'complete_delivery',
  count_webhooks: 'count_deliveries_by_status',
  count_dead_webhooks: 'count_dead_letters',
  note_missed_webhooks: 'insert_missed_deliveries',
  take_missed_webhook: 'lease_missed_delivery',
  give_up_missed_webhook: 'delete_missed_delivery',
  forget_missed_webhooks: 'delete_missed_deliveries',
  count_missed_webhooks: 'count_missed_deliveries',
  read_delivery_watch: 'get_delivery_scan_position',
  move_delivery_watch: 'set_delivery_scan_position',
};

/** Names the inbox by the terms of the glossary. Only definer functions read its tables. */
export class RenameInbox1790709000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${renameTable('delivery_watch', 'delivery_scan', { looked_until: 'scanned_until' })}
      ${renameColumns('missed_delivery', { asked: 'redelivery_count', ask_at: 'next_redelivery_at', noted_at: 'detected_at' })}
      ${renameFunctions(FUNCTIONS)}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${restoreFunctions(FUNCTIONS)}
      ${renameColumns('missed_delivery', { redelivery_count: 'asked', next_redelivery_at: 'ask_at', detected_at: 'noted_at' })}
      ${renameTable('delivery_scan', 'delivery_watch', { scanned_until: 'looked_until' })}
    `);
  }
}
