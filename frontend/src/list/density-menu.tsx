import { Check, Rows3 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/button';
import { cn } from '@/ui/cn';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { DENSITIES, type Density } from './use-column-settings';

interface DensityMenuProps {
  density: Density;
  onChange: (density: Density) => void;
}

export function DensityMenu({ density, onChange }: DensityMenuProps) {
  const { t } = useTranslation('list');
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <IconButton icon={Rows3} label={t('density.title')} variant="default" />
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuLabel>{t('density.title')}</DropdownMenuLabel>
        {DENSITIES.map((entry) => (
          <DropdownMenuItem
            key={entry}
            role="menuitemradio"
            aria-checked={entry === density}
            onSelect={() => onChange(entry)}
          >
            <Check
              aria-hidden
              className={cn('size-4 text-accent', entry !== density && 'invisible')}
            />
            {t(`density.${entry}`)}
          </DropdownMenuItem>
        ))}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
