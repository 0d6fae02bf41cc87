import { Moon, Sun } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/button';
import { chooseTheme, currentTheme, subscribeTheme } from '@/ui/theme';

export function ThemeSwitch({ className }: { className?: string }) {
  const { t } = useTranslation('shell');
  const theme = useSyncExternalStore(subscribeTheme, currentTheme);
  const dark = theme === 'dark';
  return (
    <IconButton
      icon={dark ? Sun : Moon}
      label={t(dark ? 'theme.toLight' : 'theme.toDark')}
      onClick={() => chooseTheme(dark ? 'light' : 'dark')}
      {...(className && { className })}
    />
  );
}
