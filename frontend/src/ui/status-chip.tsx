import { useTranslation } from 'react-i18next';
import { cn } from './cn';
import { type Status, statusLook } from './statuses';
import { softTone } from './tones';

export type StatusChipProps = Status & { size?: 20 | 24; className?: string };

export function StatusChip(props: StatusChipProps) {
  const { t } = useTranslation('common');
  const { size = 20, className, kind, status } = props;
  const { icon: Icon, tone, spins } = statusLook(props);
  return (
    <span
      className={cn(
        'inline-flex shrink-0 items-center rounded-full font-medium whitespace-nowrap',
        size === 20 ? 'h-5 gap-1 px-1.5 pr-2 text-xs' : 'h-6 gap-1.5 px-2 pr-2.5 text-sm',
        softTone[tone],
        className,
      )}
    >
      <Icon
        aria-hidden
        className={cn(size === 20 ? 'size-3' : 'size-3.5', 'shrink-0', spins && 'animate-spin')}
      />
      {t(`status.${kind}.${status}`)}
    </span>
  );
}
