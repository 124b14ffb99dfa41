"""The plugins of all clients, made from one source."""
