"""What pages of the docs say of quality: each module makes the figures of one."""
