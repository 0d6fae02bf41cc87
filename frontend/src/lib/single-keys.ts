import { readStored, writeStored } from './stored-json';

const KEY = 'waybill.list.shortcuts';

/** Whether single-key shortcuts are on. They interfere with speech input, so users can turn them off. */
export const hasSingleKeys = (): boolean => readStored(KEY, (value) => value !== false, true);

export const setSingleKeys = (enabled: boolean) => void writeStored(KEY, enabled);
