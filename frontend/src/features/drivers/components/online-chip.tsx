import { formatAgo } from '@/lib/dates';
import { StatusChip, type StatusChipProps } from '@/ui/status-chip';

interface OnlineChipProps {
  state: Extract<StatusChipProps, { kind: 'online' }>['status'];
  /** Of the last position, which is what the state goes by. */
  since: string | undefined;
}

/**
 * Whether it is known where a driver is. One who was heard a minute ago may have told only old
 * positions, so what is stale says how old it is.
 */
export function OnlineChip({ state, since }: OnlineChipProps) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <StatusChip kind="online" status={state} />
      {state === 'stale' && since && (
        <span className="text-xs text-muted tabular-nums">{formatAgo(since)}</span>
      )}
    </span>
  );
}
