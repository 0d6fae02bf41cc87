// Creates saved reports with the request that their page sends.
import type { APIRequestContext } from '@playwright/test';
import { ask } from './api.ts';

const CREATE = 'mutation($input: CreateReportSettingInput!) { createReportSetting(input: $input) { id version } }';

interface Chosen {
  name: string;
  columns: readonly { member: string; label: string; visible: boolean }[];
  defaultFilters?: readonly { key: string; operator: string; values: readonly string[] }[];
}

/** Returns the settings of a report on deliveries: those given, and defaults for the rest. */
export const reportOf = (chosen: Chosen) => ({
  reportKey: 'deliveries',
  defaultFilters: [],
  rangeDays: 7,
  granularity: null,
  groupBy: [],
  sort: [],
  format: 'csv',
  isActive: true,
  ...chosen,
});

export async function createReport(
  request: APIRequestContext,
  reportSetting: ReturnType<typeof reportOf>,
): Promise<{ id: string; version: number }> {
  const input = { creationId: crypto.randomUUID(), reportSetting };
  return (await ask(request, CREATE, { input })).createReportSetting;
}
