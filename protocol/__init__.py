"""What referee and bots share: cards, views, messages, and the kit that a bot is written with."""
