import { createElement } from 'react';
import { useTranslation } from 'react-i18next';
import { activityIcon } from './activities';

/** What a driver did, in words with a picture; the word of the server where there is no other. */
export function ActivityLabel({ activity }: { activity: string }) {
  const { t } = useTranslation('driver-activity');
  return (
    <span className="inline-flex min-w-0 items-center gap-2">
      {createElement(activityIcon(activity), {
        'aria-hidden': true,
        className: 'size-4 shrink-0 text-muted',
      })}
      <span className="truncate">
        {t(`activities.${activity}`, { defaultValue: activity })}
      </span>
    </span>
  );
}
