import { useTranslation } from 'react-i18next';
import type { VisibleGroup } from '@/navigation/drawer';
import type { RouteName } from '@/routing/route-paths';
import { DrawerLinkItem } from './drawer-link-item';
import { useDeadLetterCount } from './use-dead-letter-count';

interface SettingsMenuProps {
  groups: readonly VisibleGroup[];
  /** The open page and those it lies below. */
  trail: readonly RouteName[];
}

export function SettingsMenu({ groups, trail }: SettingsMenuProps) {
  const { t } = useTranslation(['navigation', 'shell']);
  const toFix = useDeadLetterCount();
  return (
    <nav
      aria-label={t('settingsMenu', { ns: 'shell' })}
      className="sticky top-(--shell-top) h-[calc(100dvh-var(--shell-top))] w-64 shrink-0 overflow-y-auto border-r border-line bg-surface px-3 pb-4 max-xl:hidden print:hidden"
    >
      {groups.map((group) => (
        <section key={group.name} aria-labelledby={`settings-${group.name}`} className="mt-4">
          <h2 id={`settings-${group.name}`} className="caps px-2 pb-1 text-muted">
            {t(`settingsGroups.${group.name}`)}
          </h2>
          <ul>
            {group.links.map((link) => (
              <DrawerLinkItem
                key={link.name}
                link={link}
                text={t(`settingsLinks.${link.name}`)}
                active={trail.includes(link.route)}
                current={trail[0] === link.route}
                count={link.name === 'deadLetters' ? toFix : undefined}
              />
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
