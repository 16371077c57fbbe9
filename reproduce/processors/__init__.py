"""Results on other processors than this one."""
