import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';
import type { AnnouncementSeverity } from './queries';
import { severityLooks } from './severities';

interface SeverityLabelProps {
  severity: AnnouncementSeverity;
  className?: string;
}

/** By icon and word, and by colour only beside them. */
export function SeverityLabel({ severity, className }: SeverityLabelProps) {
  const { t } = useTranslation('common');
  const { icon: Icon, classes } = severityLooks[severity];
  return (
    <span className={cn('inline-flex items-center gap-1.5 font-medium whitespace-nowrap', classes, className)}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {t(`severity.${severity}`)}
    </span>
  );
}
